"""Tests statements over HTTP with a server that sends the test's answers, and breaks off on request."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import MappingProxyType

import pytest
from clickhouse_connect.driver.asyncclient import AsyncClient
from clickhouse_connect.driver.exceptions import Error
from clickhouse_connect.driver.models import SettingDef

from kit.clickhouse import server_lacks_memory, translate
from kit.clickhouse_statements import ServerAddress, ServerAnswer, StatementClient
from kit.errors import RateLimited, Unavailable

ONE: bytes = b"\x01\x01\x011\x05UInt8\x01"
"""One block in Native format: column `1` of type UInt8 with one row."""
SUMMARY = 'X-ClickHouse-Summary: {"read_rows":"7"}\r\nX-ClickHouse-Query-Id: q\r\n'


class Connected(AsyncClient):
    """A client that has learned a server's settings and has no connection."""

    def __init__(self) -> None:
        super().__init__("http", "127.0.0.1", 1, database="logs")
        self.server_settings = {
            "readonly": SettingDef("readonly", "2", 1),
            "max_threads": SettingDef("max_threads", "2", 0),
        }


@dataclass
class Server:
    """Sends the next of `answers` to each request; None closes the connection instead."""

    answers: list[bytes | None]
    requests: list[bytes] = field(default_factory=list)
    lost: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                answer = self.answers.pop(0) if self.answers else b""
                if answer is None:
                    return
                writer.write(answer)
                if b"Connection: close" in answer or b"BROKEN" in answer:
                    return
        except asyncio.IncompleteReadError:
            self.lost.set()
        finally:
            writer.close()


def answer(body: bytes, headers: str = SUMMARY, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def broken(body: bytes, headers: str = SUMMARY) -> bytes:
    """Returns the beginning of a chunked answer whose end never comes."""
    return (
        f"HTTP/1.1 200 OK\r\n{headers}X-Kind: BROKEN\r\nTransfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n".encode()
        + body
        + b"\r\n"
    )


def exchange(server: Server, use: Callable[[StatementClient], Awaitable[ServerAnswer]]) -> ServerAnswer:
    async def run() -> ServerAnswer:
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        client = StatementClient(Connected(), ServerAddress(f"http://127.0.0.1:{port}", "u", "p", ssl=True))
        try:
            return await use(client)
        finally:
            await client.close()
            listening.close()

    return asyncio.run(run())


def one(client: StatementClient) -> Awaitable[ServerAnswer]:
    return client.query("SELECT {a:String}", {"a": "x&y=z %20'"}, {"max_threads": 2, "readonly": 2})


def test_an_answer_has_rows_summary_and_name() -> None:
    server = Server([answer(ONE)])
    found = exchange(server, one)
    assert [tuple(row) for row in found.result_rows] == [(1,)]
    assert (found.summary["read_rows"], found.query_id) == ("7", "q")


def test_what_is_sent_is_one_value_each_and_no_setting_that_may_not_be_changed() -> None:
    server = Server([answer(b"")])
    assert exchange(server, one).result_rows == ()
    target = server.requests[0].split(b" ")[1].decode()
    assert "param_a=x%26y%3Dz%20%2520%5C%27" in target
    assert "max_threads=2" in target
    assert "readonly=" not in target
    assert "wait_end_of_query=1" in target
    assert server.requests[0].endswith(b"SELECT {a:String}\n FORMAT Native")


def test_a_refusal_has_its_code_and_text() -> None:
    refused = "X-ClickHouse-Exception-Code: 241\r\n"
    server = Server([answer(b"Code: 241. DB::Exception: (total) memory limit", refused, "500 Error")])
    with pytest.raises(Error) as caught:
        exchange(server, one)
    assert caught.value.code == 241
    assert server_lacks_memory(caught.value)


def test_a_refusal_with_status_200_is_one_too() -> None:
    with pytest.raises(Error) as caught:
        exchange(Server([answer(b"Code: 159", "X-ClickHouse-Exception-Code: 159\r\n")]), one)
    assert caught.value.code == 159


def test_a_connection_that_was_closed_meanwhile_is_replaced_once() -> None:
    server = Server([None, answer(ONE)])
    assert len(exchange(server, one).result_rows) == 1
    # ClickHouse refuses an id whose statement still runs, as after a proxy has closed the connection.
    ids = [request.split(b" ")[1].partition(b"query_id=")[2] for request in server.requests]
    assert [len(id) for id in ids] == [36, 36]
    assert ids[0] != ids[1]


def test_a_server_that_closes_every_connection_is_unreachable() -> None:
    server = Server([None, None, answer(ONE)])
    with pytest.raises(Error) as caught:
        exchange(server, one)
    assert isinstance(translate(caught.value), Unavailable)
    assert len(server.requests) == 2


@pytest.mark.parametrize("body", [b"", ONE, ONE[:-1], ONE * 9])
def test_an_answer_that_breaks_off_is_an_error_and_not_fewer_rows(body: bytes) -> None:
    server = Server(
        [
            broken(body)
            if body
            else answer(b"", "Connection: close\r\nX-Less: 1\r\n").replace(b"Length: 0", b"Length: 9")
        ]
    )
    with pytest.raises(Exception) as caught:  # noqa: PT011  # the executor catches Error, ClientError and OSError
        exchange(server, one)
    assert isinstance(translate(caught.value), Unavailable)
    assert len(server.requests) == 1


def test_the_error_that_clickhouse_wrote_into_a_broken_answer_is_raised() -> None:
    tag = "abcdefghijklmnop"
    text = "Code: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)"
    end = f"\r\n__exception__\r\n{tag}\r\n{text}\n{len(text) + 1} {tag}\r\n__exception__\r\n".encode()
    server = Server([broken(ONE + end, f"X-ClickHouse-Exception-Tag: {tag}\r\n")])
    with pytest.raises(Error) as caught:
        exchange(server, one)
    assert caught.value.code == 159


def test_a_cancelled_caller_closes_the_connection() -> None:
    server = Server([b""])

    async def abandon(client: StatementClient) -> ServerAnswer:
        running = asyncio.ensure_future(one(client))
        while not server.requests:
            await asyncio.sleep(0.01)
        running.cancel()
        async with asyncio.timeout(30):
            await server.lost.wait()
        return ServerAnswer((), MappingProxyType({}), "")

    exchange(server, abandon)


@pytest.mark.parametrize("value", ["x", "x" * 5_000])
def test_the_bytes_of_an_answer_are_counted_as_they_arrive(value: str) -> None:
    """Tests parameters that are sent in the URL, and longer ones that are sent as a form."""
    counted: list[int] = []
    server = Server([answer(ONE * 2)])
    found = exchange(server, lambda client: client.query("SELECT {a:String}", {"a": value}, {}, count=counted.append))
    assert len(found.result_rows) == 2
    assert sum(counted) == len(ONE * 2)
    assert value.encode() in server.requests[0]


def test_an_answer_that_must_not_take_more_memory_is_not_read_on() -> None:
    server = Server([answer(b"x" * 1_000).replace(b"Length: 1000", b"Length: 10000000")])

    def refuse(size: int) -> None:
        raise RateLimited(f"{size} bytes are too many")

    async def read(client: StatementClient) -> ServerAnswer:
        with pytest.raises(RateLimited):
            await client.query("SELECT 1", {}, {}, count=refuse)
        async with asyncio.timeout(30):
            await server.lost.wait()
        return ServerAnswer((), MappingProxyType({}), "")

    exchange(server, read)
