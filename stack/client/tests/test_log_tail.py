"""A tail on the terminal goes on behind the last log it printed, and says what happened on the way."""

import json
from random import Random

import httpx2
import pytest

from stack.client import log_tail
from stack.client.log_tail import Notice, follow_logs
from stack.client.query_api import SearchRefused

LOG = {
    "id": "01",
    "timestamp": "2026-11-21T01:02:03.000000000Z",
    "severity_number": 9,
    "severity_text": "INFO",
    "service": "checkout",
}

PROXY_ERROR = "an answer of a proxy that does not reach the API"


class Server:
    """Answers each connection with the next of these streams, and records the event ids from which clients resume."""

    def __init__(self, *streams: str | None) -> None:
        self._streams = iter(streams)
        self.requested: list[str | None] = []

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url="http://api/", transport=httpx2.MockTransport(self._answer))

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requested.append(request.headers.get("Last-Event-ID"))
        stream = next(self._streams)
        if stream is None:
            raise httpx2.ConnectError("refused", request=request)
        if stream == PROXY_ERROR:
            return httpx2.Response(502, content=b"<html>Bad Gateway</html>", headers={"content-type": "text/html"})
        return httpx2.Response(200, content=stream.encode(), headers={"content-type": "text/event-stream"})


def log(place: str, body: str) -> str:
    return f"id: {place}\nevent: log\ndata: {json.dumps(LOG | {'body': body})}\n\n"


def event(name: str, **data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


REVOKED = event("end", status=401, code="unauthenticated", detail="the key was revoked", dropped=0)


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tail, "_AGAIN_SECONDS", 0)


def followed(server: Server) -> list[str]:
    """Returns the lines shown, until the server says that trying again does not help."""
    shown: list[str] = []
    with server.client() as client:
        try:
            for each in follow_logs(client, "query", Random()):
                shown.append(each.text if isinstance(each, Notice) else each.body)
        except SearchRefused as refusal:
            shown.append(f"refused: {refusal.problem.code}")
    return shown


def test_it_goes_on_behind_the_last_whole_event() -> None:
    cut = log("c", "cut").removesuffix("\n")
    server = Server(log("a", "one") + ": heartbeat\nid: b\n\n" + cut, None, log("c", "cut"), REVOKED)

    shown = followed(server)

    assert [text for text in shown if "connect" not in text] == ["one", "cut", "refused: unauthenticated"]
    assert server.requested == [None, "b", "b", "c"]


def test_it_says_what_happens() -> None:
    server = Server(
        event("open")
        + event("gap", detail="too old")
        + event("interrupted", code="unavailable", detail="Kafka does not answer")
        + event("restored")
        + event("end", status=503, code="unavailable", detail="this server is stopping", dropped=0),
        REVOKED,
    )

    assert followed(server) == [
        "records are missing here: too old",
        "waiting: Kafka does not answer",
        "Kafka answers again; the tail continues",
        "reconnecting: this server is stopping",
        "refused: unauthenticated",
    ]


def test_it_tries_again_when_a_proxy_does_not_reach_the_api() -> None:
    server = Server(PROXY_ERROR, log("a", "one"), REVOKED)

    shown = followed(server)

    assert shown[0] == "trying again: the API at http://api/ cannot be reached: a proxy answered 502"
    assert [text for text in shown[1:] if "connect" not in text] == ["one", "refused: unauthenticated"]


def test_it_reports_a_failure_once_until_it_is_connected_again() -> None:
    away = [None, None, None]
    server = Server(*away, PROXY_ERROR, PROXY_ERROR, log("a", "one"), *away, log("b", "two"), REVOKED)

    shown = followed(server)

    lost = "no connection, trying again: refused"
    proxy = "trying again: the API at http://api/ cannot be reached: a proxy answered 502"
    assert shown == [lost, proxy, "one", lost, "two", "refused: unauthenticated"]


@pytest.mark.parametrize(("status", "code"), [(404, "not_found"), (413, "too_large")])
def test_it_ends_when_trying_again_cannot_help(status: int, code: str) -> None:
    problem = {"status": status, "code": code, "detail": "no"}
    answers = iter([httpx2.Response(status, json=problem, headers={"content-type": "application/problem+json"})])

    transport = httpx2.MockTransport(lambda _: next(answers))
    with httpx2.Client(base_url="http://api/", transport=transport) as client, pytest.raises(SearchRefused) as refused:
        next(follow_logs(client, "query", Random()))

    assert refused.value.problem.code == code


def test_characters_that_end_lines_elsewhere_are_part_of_a_log() -> None:
    body = "one\u2028id: 9\u2028two\x85three"
    stream = f"id: a\nevent: log\ndata: {json.dumps(LOG | {'body': body}, ensure_ascii=False)}\n\n"
    server = Server(stream, REVOKED)

    assert body in followed(server)
    assert server.requested == [None, "a"]
