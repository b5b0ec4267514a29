"""Computes each worker's part of the receiver's memory, and checks that it is enough."""

from ingest.receiver.grpc import CALL_BYTES, STREAMS_A_CONNECTION
from ingest.receiver.intake import HELD_COPIES
from ingest.receiver.memory import MemoryBudget
from kit.errors import InvalidRequest
from kit.settings import Settings


def worker_memory(settings: Settings, workers: int) -> int:
    """Returns the bytes of requests that each of `workers` workers may hold.

    Raises InvalidRequest if a request of the largest size would never fit, because its sender would retry forever.
    """
    part = settings.receiver_memory_bytes // workers
    needed = MemoryBudget.size_for(_max_held_bytes(settings.request_max_bytes))
    if part < needed:
        fewer = ", or have fewer workers (LOGSIEVE_RECEIVER_WORKERS)" if workers > 1 else ""
        raise InvalidRequest(
            f"set LOGSIEVE_RECEIVER_MEMORY_BYTES to {needed * workers} or more{fewer}: a request of "
            f"{settings.request_max_bytes} bytes (LOGSIEVE_REQUEST_MAX_BYTES) needs {needed} bytes in one worker, but "
            f"a worker has {part}"
        )
    return part


def _max_held_bytes(largest: int) -> int:
    """Returns the largest number of bytes that a tenant holds for one request of the largest size, over either
    transport.

    Over gRPC, the request may wait for memory while all other calls of its connection hold CALL_BYTES each.
    """
    return max(HELD_COPIES * largest, largest + STREAMS_A_CONNECTION * CALL_BYTES)
