"""Fixtures of tests of TLS: Kafka with SASL_SSL, ClickHouse over https, and a stack that uses both and serves TLS."""

import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import trustme

from kit.settings import Settings
from tests.running_stack import Stack, start_stack, stop_stack
from tests.stack.small_stack import small_stack
from tests.tls.broker import TlsBroker, tls_broker
from tests.tls.certificates import Certificate, write_authority, write_certificate
from tests.tls.proxy import TlsProxy

HOST = "localhost"
"""Name in the certificates of Kafka and ClickHouse. Both listen on 127.0.0.1, which is not in their certificates."""

WAIT_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class Stores:
    """Kafka and ClickHouse outside the stack, with the files and passwords needed to connect to them."""

    folder: Path
    authority: trustme.CA
    authority_file: Path
    certificate: Certificate
    client: Certificate
    kafka: TlsBroker
    clickhouse: TlsProxy
    passwords: dict[str, str]

    def variables(self) -> dict[str, str]:
        """Returns the settings with which Logsieve's processes use this Kafka and this ClickHouse."""
        return {
            "LOGSIEVE_KAFKA_BOOTSTRAP": self.kafka.sasl,
            "LOGSIEVE_KAFKA_SECURITY": "SASL_SSL",
            "LOGSIEVE_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
            "LOGSIEVE_KAFKA_CA_FILE": str(self.authority_file),
            "LOGSIEVE_CLICKHOUSE_URL": f"https://{HOST}:{self.clickhouse.port}",
            "LOGSIEVE_CLICKHOUSE_CA_FILE": str(self.authority_file),
            **self.passwords,
        }


@pytest.fixture(scope="package")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    folder = tmp_path_factory.mktemp("certificates")
    authority = trustme.CA()
    authority_file = write_authority(folder, "authority", authority)
    certificate = write_certificate(folder, "server", authority.issue_cert(HOST))
    client = write_certificate(folder, "client", authority.issue_cert("client.example"))
    small = small_stack(tmp_path_factory.mktemp("stores") / "home")
    own = Settings(home=small.home, port_offset=small.offset)
    try:
        with ThreadPoolExecutor(1) as pool:
            started = pool.submit(small.up)  # ClickHouse starts at the same time as Kafka.
            with (
                tls_broker(own, HOST, certificate, authority_file) as kafka,
                TlsProxy(own.port(own.clickhouse_http_port), certificate).running() as clickhouse,
            ):
                started.result()
                passwords = {
                    "LOGSIEVE_KAFKA_PASSWORD": kafka.password,
                    "LOGSIEVE_CLICKHOUSE_PASSWORD": own.clickhouse_secret,
                    "LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD": own.clickhouse_query_secret,
                }
                yield Stores(folder, authority, authority_file, certificate, client, kafka, clickhouse, passwords)
    finally:
        assert small.logsieve("down").returncode == 0


@dataclass(frozen=True, slots=True)
class Secured:
    """A stack with TLS, and the settings that its commands need."""

    stack: Stack
    variables: dict[str, str]


@pytest.fixture(scope="package")
def secured(tmp_path_factory: pytest.TempPathFactory, stores: Stores) -> Iterator[Secured]:
    """Yields a stack that requires client certificates for OTLP and that stores the sample logs."""
    home: Path = tmp_path_factory.mktemp("secured") / "home"
    own = write_certificate(stores.folder, "own", stores.authority.issue_cert(HOST, "127.0.0.1"))
    variables = stores.variables() | {
        "LOGSIEVE_TLS_CERT_FILE": str(own.chain),
        "LOGSIEVE_TLS_KEY_FILE": str(own.key),
        "LOGSIEVE_TLS_CLIENT_CA_FILE": str(stores.authority_file),
        "LOGSIEVE_TLS_CLIENT_CERT_FILE": str(stores.client.chain),
        "LOGSIEVE_TLS_CLIENT_KEY_FILE": str(stores.client.key),
        "LOGSIEVE_CONTROL_REFRESH_SECONDS": "0.2",
    }
    try:
        yield Secured(start_stack(home, nodes=1, **variables), variables)
    finally:
        stop_stack(home)


@pytest.fixture(scope="package")
def client(secured: Secured, stores: Stores) -> Iterator[httpx2.Client]:
    """Yields a client of the REST API with the demo tenant's key and a client certificate."""
    context = ssl.create_default_context()
    stores.authority.configure_trust(context)
    context.load_cert_chain(stores.client.chain, stores.client.key)
    headers = {"authorization": f"Bearer {secured.stack.keys.query_key}"}
    base = f"{secured.stack.api_url}/"
    with httpx2.Client(base_url=base, verify=context, headers=headers, timeout=WAIT_SECONDS) as made:
        yield made
