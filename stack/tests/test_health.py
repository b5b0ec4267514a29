"""Tests of the reason that a health check gives for a process of Logsieve that is not ready."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kit.ops import serve_ops
from kit.settings import Settings
from stack.health import http_health


async def ready() -> None:
    return None


async def behind() -> str:
    return "12,000 messages behind"


async def away() -> str:
    return "no broker answers"


class _OtherServer(BaseHTTPRequestHandler):
    """Answers every request with 503 and a text that is not JSON."""

    text = b" <h1>no upstream</h1>\n"

    def do_GET(self) -> None:
        text = self.text
        self.send_response(503)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_arguments: Any) -> None:
        """Says nothing."""


def test_the_reason_has_the_failing_checks_and_no_ages(tmp_path: Path) -> None:
    server = serve_ops("127.0.0.1", 0, {"clickhouse": ready, "batches": behind, "kafka": away})
    try:
        reason = http_health(Settings(home=tmp_path), server.port, tls=False)()
    finally:
        server.stop()

    assert reason == "batches: 12,000 messages behind; kafka: no broker answers"


def test_a_certificate_that_is_gone_is_the_reason(tmp_path: Path) -> None:
    """Tests that the supervisor, which checks with the certificate, does not end when its file is deleted."""
    gone = Settings(home=tmp_path, tls_cert_file=tmp_path / "gone.pem", tls_key_file=tmp_path / "gone.key")

    assert f"LOGSIEVE_TLS_CERT_FILE is {tmp_path / 'gone.pem'}, " in str(http_health(gone, 1, tls=True)())


@pytest.mark.parametrize(
    ("text", "reason"), [(_OtherServer.text, "<h1>no upstream</h1>"), (b"", "status 503"), (b"{}", "{}")]
)
def test_the_answer_of_another_server_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, reason: str
) -> None:
    monkeypatch.setattr(_OtherServer, "text", text)
    with ThreadingHTTPServer(("127.0.0.1", 0), _OtherServer) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        said = http_health(Settings(home=tmp_path), server.server_port, tls=False)()
        server.shutdown()
        thread.join()

    assert said == reason
