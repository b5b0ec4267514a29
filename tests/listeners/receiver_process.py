"""Runs a receiver's two OTLP ports over a topic in memory, until its standard input ends."""

import asyncio
import sys

import uvloop

from ingest.receiver.grpc import grpc_server
from ingest.receiver.http import http_app
from ingest.receiver.listen import listen
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import Topic, intake
from kit.server.limits import raise_descriptor_limit
from kit.settings import Settings


async def serve(settings: Settings) -> None:
    raise_descriptor_limit()
    receiver, budget = intake(Topic(), settings), MemoryBudget(settings.receiver_memory_bytes)
    stopping = asyncio.Event()
    serving = asyncio.create_task(
        listen(
            settings,
            http_app(settings, receiver, budget, {}),
            grpc_server(settings, receiver, budget, share_port=False),
            share_ports=False,
            stopping=stopping,
        )
    )
    ending = asyncio.create_task(asyncio.to_thread(sys.stdin.buffer.read))
    await asyncio.wait((serving, ending), return_when=asyncio.FIRST_COMPLETED)
    stopping.set()
    await serving
    receiver.close()


if __name__ == "__main__":
    uvloop.run(serve(Settings()))
