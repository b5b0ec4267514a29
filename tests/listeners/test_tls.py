"""Tests of OTLP over TLS: HTTP and gRPC, changed certificates, client certificates, handshakes that never end."""

import asyncio
import os
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
import httpx2
import pytest
import trustme
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub

from kit.settings import Settings
from loadtest.hostile import attacks_http as attacks
from loadtest.hostile.attacks_http import Listener
from tests.eventually import eventually
from tests.listeners import served
from tests.listeners.attacks import silent

WAIT_SECONDS = 60.0
KEY = {"authorization": "Bearer key-for-ingest", "content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Files:
    """Files of the certificate that the receiver reads."""

    chain: Path
    key: Path

    def write(self, made: trustme.LeafCert) -> None:
        """Replaces one file after the other, each in one step, like tools that renew certificates."""
        for path, text in ((self.chain, made.cert_chain_pems), (self.key, [made.private_key_pem])):
            fresh = path.with_suffix(".new")
            fresh.write_bytes(b"".join(each.bytes() for each in text))
            os.replace(fresh, path)


@dataclass(frozen=True, slots=True)
class Secured:
    """A receiver that requires TLS, and the files of its certificate."""

    settings: Settings
    files: Files

    def http(self, trusted: trustme.CA, shown: trustme.LeafCert | None = None) -> httpx2.Client:
        context = ssl.create_default_context()
        trusted.configure_trust(context)
        if shown is not None:
            shown.configure_cert(context)
        base = f"https://localhost:{self.settings.port(self.settings.otlp_http_port)}"
        return httpx2.Client(base_url=base, verify=context, timeout=WAIT_SECONDS, headers=KEY)

    def grpc(self, trusted: trustme.CA, shown: trustme.LeafCert | None = None) -> grpc.Channel:
        key = shown.private_key_pem.bytes() if shown is not None else None
        chain = b"".join(each.bytes() for each in shown.cert_chain_pems) if shown is not None else None
        credentials = grpc.ssl_channel_credentials(trusted.cert_pem.bytes(), key, chain)
        return grpc.secure_channel(f"localhost:{self.settings.port(self.settings.otlp_grpc_port)}", credentials)


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory, ca: trustme.CA) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("tls")
    files = Files(folder / "chain.pem", folder / "key.pem")
    files.write(ca.issue_cert("localhost", "127.0.0.1"))
    clients = folder / "clients.pem"
    ca.cert_pem.write_to_path(str(clients))
    settings = {
        "TLS_CERT_FILE": str(files.chain),
        "TLS_KEY_FILE": str(files.key),
        "TLS_CLIENT_CA_FILE": str(clients),
        "HTTP_HEAD_SECONDS": "3",
    }
    with served.receiver(folder / "log", settings) as own:
        yield Secured(own, files)


def exported(channel: grpc.Channel) -> grpc.StatusCode:
    try:
        LogsServiceStub(channel).Export(  # type: ignore[no-untyped-call]
            ExportLogsServiceRequest(),
            metadata=[("authorization", "Bearer key-for-ingest")],
            timeout=WAIT_SECONDS,
            wait_for_ready=False,
        )
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


def test_logs_are_taken_over_both_transports(secured: Secured, ca: trustme.CA) -> None:
    client = ca.issue_cert("client")
    with secured.http(ca, client) as http:
        assert http.post("/v1/logs", json={}).status_code == 200
    with secured.grpc(ca, client) as channel:
        assert exported(channel) is grpc.StatusCode.OK


def test_a_client_without_a_certificate_sends_nothing(secured: Secured, ca: trustme.CA) -> None:
    with secured.http(ca) as http:
        assert http.get("/healthz").status_code == 200
        refused = http.post("/v1/logs", json={})
        assert refused.status_code == 401
        assert "certificate" in refused.json()["message"]
    with secured.grpc(ca) as channel:
        assert exported(channel) is grpc.StatusCode.UNAVAILABLE


def test_a_client_of_another_authority_sends_nothing(secured: Secured, ca: trustme.CA) -> None:
    stranger = trustme.CA().issue_cert("client")
    with secured.http(ca, stranger) as http, pytest.raises(httpx2.TransportError):
        http.post("/v1/logs", json={})
    with secured.grpc(ca, stranger) as channel:
        assert exported(channel) is grpc.StatusCode.UNAVAILABLE


def test_handshakes_that_never_end_are_closed(secured: Secured) -> None:
    listener = served.http_listener(secured.settings, secured.settings.otlp_http_port)

    async def both() -> list[int]:
        half = attacks.half_sent(listener, 20, WAIT_SECONDS, b"\x16\x03\x01\x02\x00\x01")
        return [held.left for held in await asyncio.gather(silent(listener, 20, WAIT_SECONDS), half)]

    assert asyncio.run(both()) == [0, 0]


def test_limits_hold_behind_the_handshake(secured: Secured, ca: trustme.CA) -> None:
    context = ssl.create_default_context()
    ca.configure_trust(context)
    listener: Listener = replace(served.http_listener(secured.settings, secured.settings.otlp_http_port), tls=context)

    sent = asyncio.run(attacks.endless_header(listener, limit=64 * 2**20))

    assert sent.closed
    assert sent.status == 431
    assert asyncio.run(attacks.half_sent(listener, 5, WAIT_SECONDS)).left == 0


def test_a_new_certificate_is_used_and_a_broken_one_is_not(secured: Secured, ca: trustme.CA) -> None:
    """Must be the last test of the file, because the receiver keeps the certificate of another authority."""
    other = trustme.CA()
    client = ca.issue_cert("client")
    secured.files.chain.write_text("no certificate")

    def answers(trusted: trustme.CA) -> bool:
        try:
            with secured.http(trusted) as http, secured.grpc(trusted, client) as channel:
                return http.get("/healthz").status_code == 200 and exported(channel) is grpc.StatusCode.OK
        except httpx2.TransportError:
            return False

    # The process logs this line when it has read the broken file.
    log = secured.files.chain.with_name("log")
    eventually(
        lambda: answers(ca) and "the previous one stays in use" in log.read_text(),
        "the previous certificate stays in use",
        WAIT_SECONDS,
    )
    secured.files.write(other.issue_cert("localhost", "127.0.0.1"))

    eventually(lambda: answers(other), "the new certificate is used", WAIT_SECONDS)
    assert not answers(ca)
