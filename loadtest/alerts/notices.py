"""Receives the notices of a run, and compares them with the firings that had to be reported."""

import http.server
import json
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from typing import Final, NamedTuple

from loadtest.alerts.plan import Firing
from loadtest.alerts.study import Arrivals

ADDRESS: Final = "127.0.0.2"
"""Address of the receiver. It is not 127.0.0.1, so that a stack can still refuse webhooks to that one."""


class Received(NamedTuple):
    """A notice that arrived. `kind` is `firing` or `resolved`."""

    id: str
    kind: str
    firing: Firing


@contextmanager
def receiving() -> Iterator[tuple[str, list[Received]]]:
    """Answers every POST within the block with 200. Yields the URL, and the list to which each notice is added."""
    received: list[Received] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            [group] = body["group"]
            received.append(Received(body["id"], body["kind"], Firing(body["rule"]["name"], group)))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Writes nothing: the standard server would write a line for each request."""

    with http.server.ThreadingHTTPServer((ADDRESS, 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="notices", daemon=True)
        thread.start()
        try:
            yield f"http://{ADDRESS}:{server.server_address[1]}/", received
        finally:
            server.shutdown()
            thread.join()


def compare(expected: Set[Firing], received: Iterable[Received]) -> Arrivals:
    """Counts the firings that were not reported or reported under several ids, and notices of anything else.

    A notice that arrives again under its id is a repeat, which alerts may cause.
    """
    requests = Counter(received)
    reported = Counter(notice.firing for notice in requests if notice.kind == "firing")
    return Arrivals(
        firings=len(expected),
        missing=len(expected - reported.keys()),
        second_ids=sum(ids > 1 for ids in reported.values()),
        unexpected=sum(notice.kind != "firing" or notice.firing not in expected for notice in requests),
        repeats=requests.total() - len(requests),
    )
