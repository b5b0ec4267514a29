"""Runs a receiver's two OTLP ports over a topic in memory, until SIGTERM. The argument limits its open descriptors."""

import asyncio
import resource
import signal
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
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await listen(
        settings,
        http_app(settings, receiver, budget, {}),
        grpc_server(settings, receiver, budget, share_port=False),
        share_ports=False,
        stopping=stopping,
    )
    receiver.close()


if __name__ == "__main__":
    for files in map(int, sys.argv[1:]):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    uvloop.run(serve(Settings()))
