"""Tests that the settings of a server are read again after the server was started again."""

import asyncio
from collections.abc import Sequence

import pytest

from kit.clickhouse_statements import ServerAddress, StatementClient
from kit.tests.test_clickhouse_statements import Connected, Server, answer


def text(value: str) -> bytes:
    return bytes([len(value)]) + value.encode()


def uptime(seconds: int) -> bytes:
    return answer(b"\x01\x01" + text("uptime()") + text("UInt32") + seconds.to_bytes(4, "little"))


def settings(names: Sequence[str], value: str) -> bytes:
    columns = (
        text("name") + text("String") + b"".join(map(text, names)),
        text("value") + text("String") + text(value) * len(names),
        text("readonly") + text("UInt8") + bytes(len(names)),
    )
    return answer(bytes([len(columns), len(names)]) + b"".join(columns))


ONE_ROW = settings(["1"], "1")


@pytest.mark.parametrize(
    ("seconds_up", "known"), [(10**6, ["max_threads", "readonly"]), (0, ["max_threads", "new_setting"])]
)
def test_settings_are_read_again_only_from_a_server_that_was_started_since(seconds_up: int, known: list[str]) -> None:
    server = Server([ONE_ROW, uptime(seconds_up), settings(["max_threads", "new_setting"], "4"), ONE_ROW])

    async def run() -> StatementClient:
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        client = StatementClient(Connected(), ServerAddress(f"http://127.0.0.1:{port}", "u", "p", ssl=True))
        try:
            await client.query("SELECT 1", {}, {"readonly": 2})
            await client.refresh_settings()
            await client.query("SELECT 1", {}, {"readonly": 2})
        finally:
            await client.close()
            listening.close()
        return client

    client = asyncio.run(run())
    assert sorted(client.server_settings) == known
    # A setting is sent unless the server is known to have it as read-only, with the same value.
    assert (b"readonly=2" in server.requests[-1]) == ("new_setting" in known)
