"""Tests that `logsieve logs search --view` marks an error in the query of the view."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from typer.testing import CliRunner

from stack.cli.commands import application

QUERY = "error | stats count()"
VIEW = {"id": "4bf92f3577b3", "name": "Errors", "query": QUERY, "start": "now-1h", "end": "now", "order": "desc"}
PROBLEM = {"code": "invalid_query", "detail": "remove | stats", "position": 6, "expected": ["the end of the query"]}


class _Api(BaseHTTPRequestHandler):
    """Answers with one view, and refuses its query."""

    def do_GET(self) -> None:
        is_list = self.path.endswith("/views")
        self._answer(
            200, {"views": [VIEW | {"folder": "", "is_default": False}]} if is_list else VIEW | {"revision": 1}
        )

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(400, PROBLEM)

    def _answer(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status == 200 else "application/problem+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Logs nothing."""


@contextlib.contextmanager
def started() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Api) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/api/v1"
        finally:
            server.shutdown()
            thread.join()


def test_the_position_is_marked_in_the_query_of_the_view() -> None:
    with started() as url:
        ended = CliRunner().invoke(
            application(), ["logs", "search", "--view", "Errors", "--url", url, "--key", "key"], env={"NO_PROXY": "*"}
        )

    assert ended.exit_code == 1
    assert f"{QUERY}\n      ^\n" in ended.stderr
