"""A file that is not whole is never taken for one that is."""

import json

import httpx2
import pytest

from kit.errors import Unavailable
from stack.client.log_export import Export, export_logs, records_of
from stack.client.query_api import SearchRefused

LINES = b'{"id":"1"}\n{"id":"2","body":"{\\"error\\":1}"}\n{"id":"3"}\n'
PROBLEM = {"type": "about:blank", "title": "", "status": 422, "code": "query_too_expensive", "detail": "narrow it"}
FAILED = LINES + json.dumps({"error": PROBLEM}, separators=(",", ":")).encode() + b"\n"
WANTED = Export("error", "0", "1", "desc", "ndjson")


@pytest.mark.parametrize("size", [1, 2, 7, 30, 1000])
def test_all_records_come_and_the_error_is_raised(size: int) -> None:
    def cut(file: bytes) -> list[bytes]:
        return [file[start : start + size] for start in range(0, len(file), size)]

    assert b"".join(records_of(cut(LINES))) == LINES
    received = b""
    with pytest.raises(SearchRefused) as refusal:  # noqa: PT012 what came before the error counts
        for piece in records_of(cut(FAILED)):
            received += piece
    assert received == LINES
    assert refusal.value.problem.code == "query_too_expensive"


def test_nothing_is_a_whole_file() -> None:
    assert b"".join(records_of([])) == b""


def answered(status: int, body: bytes, kind: str) -> httpx2.Client:
    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(status, content=body, headers={"content-type": kind})

    return httpx2.Client(base_url="http://api/", transport=httpx2.MockTransport(answer))


def test_a_refusal_is_raised_with_its_reason() -> None:
    client = answered(422, json.dumps(PROBLEM).encode(), "application/problem+json")

    with pytest.raises(SearchRefused, match="narrow it"):
        list(export_logs(client, WANTED))


def test_a_transfer_that_breaks_off_is_an_error() -> None:
    def break_off(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.RemoteProtocolError("peer closed connection", request=request)

    client = httpx2.Client(base_url="http://api/", transport=httpx2.MockTransport(break_off))

    with pytest.raises(Unavailable, match="ended early"):
        list(export_logs(client, WANTED))
