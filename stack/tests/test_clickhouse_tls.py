"""Tests that connections to ClickHouse over https check its certificate, and present a client certificate if it
requires one."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme
from pydantic import ValidationError

from kit.clickhouse import connect
from kit.clickhouse_tls import tls_options
from kit.errors import Unavailable
from kit.settings import Settings
from stack.health import clickhouse_health

AUTHORITY = trustme.CA()


class _Answer(BaseHTTPRequestHandler):
    """Answers every statement with 1."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"1\n")

    def log_message(self, *_arguments: Any) -> None:
        """Says nothing."""


@pytest.fixture(params=["no client certificate", "a client certificate"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Settings]:
    """Yields settings for a server on 127.0.0.1 that requires the kind of TLS that the parameter names."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("127.0.0.1").configure_cert(context)
    files = {"clickhouse_ca_file": tmp_path / "ca.pem"}
    AUTHORITY.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    if request.param == "a client certificate":
        context.verify_mode = ssl.CERT_REQUIRED
        AUTHORITY.configure_trust(context)
        ours = AUTHORITY.issue_cert("logsieve.example")
        ours.cert_chain_pems[0].write_to_path(str(tmp_path / "ours.pem"))
        ours.private_key_pem.write_to_path(str(tmp_path / "ours.key"))
        files |= {"clickhouse_certificate_file": tmp_path / "ours.pem", "clickhouse_key_file": tmp_path / "ours.key"}
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"https://127.0.0.1:{server.server_port}"
    yield Settings.model_validate({"home": tmp_path, "clickhouse_url": url, **files})
    server.shutdown()
    thread.join()
    server.server_close()


def problem(settings: Settings) -> str | None:
    return clickhouse_health(settings, settings.clickhouse_http_url)()


def test_a_server_is_trusted_by_its_authority_and_name_alone(settings: Settings, tmp_path: Path) -> None:
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    elsewhere = settings.clickhouse_http_url.replace("127.0.0.1", "localhost")

    assert problem(settings) is None
    assert "certificate" in str(problem(settings.model_copy(update={"clickhouse_url": elsewhere}))).lower()
    for untrusted in (tmp_path / "other.pem", None):
        other = settings.model_copy(update={"clickhouse_ca_file": untrusted})
        assert "certificate" in str(problem(other)).lower()
        with pytest.raises(Unavailable):
            connect(other)


def test_a_file_that_cannot_be_read_is_named_by_its_setting(settings: Settings, tmp_path: Path) -> None:
    used = {name for name in ("clickhouse_ca_file", "clickhouse_key_file") if getattr(settings, name) is not None}
    for name in used:
        missing = settings.model_copy(update={name: tmp_path / "missing.pem"})
        said = f"LOGSIEVE_{name.upper()} is {tmp_path / 'missing.pem'}, which cannot be read"

        assert said in str(problem(missing))
        with pytest.raises(Unavailable, match=said):
            connect(missing)


def test_a_client_certificate_comes_on_top_of_the_password(settings: Settings) -> None:
    """Without `strict` clickhouse-connect would leave the password out."""
    shown = "client_cert" in tls_options(settings)

    assert shown == ("tls_mode" in tls_options(settings))
    without = settings.model_copy(update={"clickhouse_certificate_file": None, "clickhouse_key_file": None})
    assert (problem(without) is None) == (not shown)


def test_files_that_nothing_would_use_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="need https"):
        Settings(home=tmp_path, clickhouse_ca_file=tmp_path / "ca.pem")
    with pytest.raises(ValidationError, match="together"):
        Settings(home=tmp_path, clickhouse_url="https://a", clickhouse_key_file=tmp_path / "key.pem")
