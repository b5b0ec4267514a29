"""Tests that our own logs continue after the certificates of the receiver and the client are replaced."""

import os
import ssl
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
import requests
import trustme

from kit.otlp_session import trust_only
from kit.settings import Settings
from kit.tests.otlp_collector import Collector
from kit.tls import own_ports


class Receiver:
    """Collector over TLS that requires certificates of its own authority."""

    def __init__(self, folder: Path) -> None:
        self.files = {name: folder / f"{name}.pem" for name in ("chain", "key", "shown", "shown-key")}
        self.settings = Settings(
            home=folder,
            tls_cert_file=self.files["chain"],
            tls_key_file=self.files["key"],
            tls_client_cert_file=self.files["shown"],
            tls_client_key_file=self.files["shown-key"],
        )
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.renew(1)

    def renew(self, version: int) -> None:
        """Takes a certificate of a new authority, and gives its clients one."""
        authority = trustme.CA()
        served, shown = authority.issue_cert("receiver.example"), authority.issue_cert("client.example")
        for name, made in (("", served), ("shown", shown)):
            chain, key = self.files[name or "chain"], self.files[f"{name}-key" if name else "key"]
            made.cert_chain_pems[0].write_to_path(str(chain))
            made.private_key_pem.write_to_path(str(key))
            for file in (chain, key):
                # Two writes in a row may have the same time.
                os.utime(file, ns=(version, version))
        served.configure_cert(self.context)
        authority.configure_trust(self.context)


@pytest.fixture
def receiver(tmp_path: Path) -> Receiver:
    return Receiver(tmp_path)


@pytest.fixture
def url(receiver: Receiver) -> Iterator[str]:
    server: ThreadingHTTPServer = Collector()
    server.socket = receiver.context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}/v1/logs"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_session_outlives_both_certificates(receiver: Receiver, url: str) -> None:
    with trust_only(requests.Session(), lambda: own_ports(receiver.settings)) as session:
        assert session.post(url, data=b"", timeout=30).status_code == 200
        receiver.renew(2)
        assert session.post(url, data=b"", timeout=30).status_code == 200
        receiver.files["shown"].write_text("half written")
        assert session.post(url, data=b"", timeout=30).status_code == 200


def test_another_certificate_is_not_trusted(receiver: Receiver, url: str) -> None:
    with trust_only(requests.Session(), lambda: own_ports(receiver.settings)) as session:
        trustme.CA().issue_cert("receiver.example").configure_cert(receiver.context)
        with pytest.raises(requests.exceptions.SSLError):
            session.post(url, data=b"", timeout=30)
