"""Tests that connections to PostgreSQL end when the server is silent, and wait for locks only for a limited time."""

import asyncio
import socket

import pytest
from sqlalchemy import text

from kit.errors import Unavailable
from kit.free_ports import free_ports
from schema.control.database import open_database, opened
from schema.control.postgresql_waits import LOCK_SECONDS, SILENT_SECONDS
from tests.control_database import OWNER, PostgreSQL, postgresql_server


def test_the_kernel_ends_a_connection_without_answers() -> None:
    async def options(url: str) -> tuple[int, int]:
        engine = open_database(url)
        try:
            async with engine.connect() as connection:
                raw = (await connection.get_raw_connection()).driver_connection
                assert raw is not None
                found = raw._transport.get_extra_info("socket")
                return (
                    found.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE),
                    found.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT),
                )
        finally:
            await engine.dispose()

    [port] = free_ports(1)
    with postgresql_server({"listen_addresses": "127.0.0.1", "port": str(port)}, {}):
        found = asyncio.run(options(f"postgresql+asyncpg://{OWNER}@127.0.0.1:{port}/postgres"))

    assert found == (1, SILENT_SECONDS * 1_000)


def test_a_wait_for_a_lock_is_limited(postgresql: PostgreSQL) -> None:
    async def limit(url: str) -> str:
        async with opened(url) as engine, engine.connect() as connection:
            return str(await connection.scalar(text("SHOW lock_timeout")))

    url = postgresql.new_database()
    try:
        assert asyncio.run(limit(url)) == f"{LOCK_SECONDS}s"
    finally:
        postgresql.drop_database(url)


def test_a_lock_that_is_held_is_unavailable(postgresql: PostgreSQL) -> None:
    async def wait_for_a_lock(url: str) -> None:
        async with opened(url) as engine, engine.begin() as connection:
            await connection.execute(text("CREATE TABLE held (number int)"))
        async with opened(url) as holder, holder.begin() as first:
            await first.execute(text("LOCK TABLE held"))
            async with opened(url) as engine, engine.begin() as second:
                # A short limit, so that the test needs not wait for the real one.
                await second.execute(text("SET LOCAL lock_timeout = '50ms'"))
                await second.execute(text("SELECT * FROM held"))

    url = postgresql.new_database()
    try:
        with pytest.raises(Unavailable, match=r"lock timeout; start its database"):
            asyncio.run(wait_for_a_lock(url))
    finally:
        postgresql.drop_database(url)
