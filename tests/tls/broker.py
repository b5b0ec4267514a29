"""Runs a real Kafka broker with TLS, to which clients sign in by password (PLAIN, SCRAM) or certificate."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._scram import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from kit.kafka import kafka_connection
from kit.kafka_settings import OWN_KAFKA_USER
from kit.settings import Settings
from stack.broker.accounts import Accounts
from stack.broker.node import Broker, brokers
from stack.broker.prepare import command, prepare
from stack.health import kafka_health
from tests.eventually import eventually
from tests.tls.certificates import Certificate

START_SECONDS: Final = 120.0

_LISTENERS: Final = """
listeners=CLIENT://127.0.0.1:{plain},CONTROLLER://127.0.0.1:{controller},SECURE://127.0.0.1:{sasl},MUTUAL://127.0.0.1:{mutual}
advertised.listeners=CLIENT://127.0.0.1:{plain},SECURE://{host}:{sasl},MUTUAL://{host}:{mutual}
listener.security.protocol.map=CLIENT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,SECURE:SASL_SSL,MUTUAL:SSL
listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secure.plain.sasl.jaas.config={plain_sign_in}
listener.name.secure.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.mutual.ssl.client.auth=required
ssl.keystore.type=PEM
ssl.keystore.location={keystore}
ssl.truststore.type=PEM
ssl.truststore.location={authority}
"""


@dataclass(frozen=True, slots=True)
class TlsBroker:
    """Addresses of the broker's listeners, and the password of user `logsieve`.

    `plain` is the listener without TLS, `sasl` the one for passwords, `mutual` the one for client certificates.
    """

    plain: str
    sasl: str
    mutual: str
    password: str


@contextmanager
def tls_broker(settings: Settings, host: str, certificate: Certificate, authority: Path) -> Iterator[TlsBroker]:
    """Runs the broker that `up` would start with these settings, and two more listeners, until the block ends.

    Clients connect to `host`, which the broker advertises. It accepts client certificates of `authority`.
    """
    [own] = brokers(settings)
    prepare(settings, own)
    # These ports belong to the claimed offset too, and without a receiver and an API they are free.
    sasl, mutual = settings.port(settings.otlp_http_port), settings.port(settings.api_port)
    kept = [line for line in own.properties_file.read_text().splitlines() if not line.startswith(_REPLACED)]
    more = _LISTENERS.format(
        plain=own.client_port,
        controller=own.controller_port,
        sasl=sasl,
        mutual=mutual,
        host=host,
        plain_sign_in=Accounts(OWN_KAFKA_USER, settings.kafka_secret, "unused").clients_may_sign_in(),
        keystore=certificate.both,
        authority=authority,
    )
    own.properties_file.write_text("\n".join(kept) + more)
    with _running(own, settings):
        _allow_scram(settings)
        yield TlsBroker(f"{host}:{own.client_port}", f"{host}:{sasl}", f"{host}:{mutual}", settings.kafka_secret)


_REPLACED: Final = ("listeners=", "advertised.listeners=", "listener.security.protocol.map=")


@contextmanager
def _running(own: Broker, settings: Settings) -> Iterator[None]:
    log = own.root / "broker.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command(own), stdout=output, stderr=output)
    try:
        eventually(
            lambda: kafka_health(settings)() is None or process.poll() is not None, "Kafka answers", START_SECONDS
        )
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(60)


def _allow_scram(settings: Settings) -> None:
    """Allows the user to sign in by both kinds of SCRAM, with the same password as by PLAIN."""
    admin = AdminClient({**kafka_connection(settings)})
    credentials = [
        UserScramCredentialUpsertion(
            OWN_KAFKA_USER, ScramCredentialInfo(mechanism, 4096), settings.kafka_secret.encode()
        )
        for mechanism in (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
    ]
    for altered in credentials:
        for answer in admin.alter_user_scram_credentials([altered]).values():
            answer.result(timeout=30)
