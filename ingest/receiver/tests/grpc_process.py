"""A receiver's gRPC port in a process of its own: `… MEMORY_BYTES REQUEST_BYTES`. Its topic discards all messages.

Prints its port, and exits when its standard input closes.
"""

import asyncio
import sys

from ingest.receiver.grpc import grpc_server
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import Receiver, Topic
from kit.settings import Settings
from schema.envelope import Envelope


class Forgetful(Topic):
    """Fake topic that keeps nothing, so that the process's memory is only gRPC's and ours."""

    async def send(self, envelope: Envelope, value: bytes) -> None:
        """Takes a moment, like Kafka."""
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
