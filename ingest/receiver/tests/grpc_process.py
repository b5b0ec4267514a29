"""A receiver's gRPC port as a process of its own, in front of a topic that forgets: `… MEMORY_BYTES REQUEST_BYTES`.

Prints its port; ends with its standard input.
"""

import asyncio
import sys

from ingest.receiver.grpc import grpc_server
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import Receiver, Topic
from kit.settings import Settings
from schema.envelope import Envelope


class Forgetful(Topic):
    """Keeps nothing, so that what the process holds is gRPC's and ours."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        """Takes a moment, as Kafka does."""
        await super().send(envelope, value)
        self.messages.clear()
        await asyncio.sleep(0.05)


async def serve(memory: int, request: int) -> None:
    settings = Settings(receiver_memory_bytes=memory, request_max_bytes=request)
    server = grpc_server(
        settings, Receiver(Forgetful()).intake(settings), MemoryBudget(memory), share_port=False
    ).server
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.buffer.read)
    await server.stop(None)


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
