"""Tests which connections are kept, and that checking descriptors does not block the event loop and harms no files."""

import asyncio
import fcntl
import os
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from ingest.receiver.grpc_connections import CHECKED_AT_ONCE, GrpcConnections
from ingest.receiver.grpc_traffic import Traffic
from kit.server.connections import AddressLimit

MANY = 10 * CHECKED_AT_ONCE


def test_many_descriptors_are_checked_a_few_at_a_time() -> None:
    async def runs_meanwhile() -> int:
        checking = asyncio.create_task(GrpcConnections(1, AddressLimit(1), Traffic()).check())
        runs = 0
        while not checking.done():
            await asyncio.sleep(0)
            runs += 1
        await checking
        return runs

    with socket.socket() as one:
        copies = [os.dup(one.fileno()) for _ in range(MANY)]
        try:
            assert asyncio.run(runs_meanwhile()) >= MANY / CHECKED_AT_ONCE
        finally:
            for each in copies:
                os.close(each)


def test_the_first_connection_of_the_process_stays_the_oldest() -> None:
    with ExitStack() as opened:
        listening = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = listening.getsockname()[1]
        connections = GrpcConnections(port, AddressLimit(1), Traffic())
        for _ in range(2):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        # The second connection gets a smaller descriptor, so that the check finds it before the first one.
        smaller = os.dup(listening.fileno())
        first = opened.enter_context(listening.accept()[0])
        asyncio.run(connections.check())
        os.close(smaller)
        second = opened.enter_context(listening.accept()[0])
        assert second.fileno() < first.fileno()
        asyncio.run(connections.check())
        for each in (first, second):
            each.setblocking(False)

        assert second.recv(1) == b""
        with pytest.raises(BlockingIOError):
            first.recv(1)


def test_locks_on_files_stay(tmp_path: Path) -> None:
    """SQLite needs them: without its locks, another process removes the file that this one reads."""
    locked = tmp_path / "locked"
    attempt = f"import fcntl; fcntl.lockf(open({str(locked)!r}, 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    with locked.open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        asyncio.run(GrpcConnections(1, AddressLimit(1), Traffic()).check())
        taken = subprocess.run([sys.executable, "-c", attempt], capture_output=True, text=True, check=False)
    assert "BlockingIOError" in taken.stderr
