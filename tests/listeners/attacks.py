"""Attacks that tests make in addition to those of `logsieve loadtest hostile`, and requests of ordinary clients."""

import asyncio

from loadtest.hostile.attacks_grpc import CALL, GREETING, HEADERS, SETTINGS, frame
from loadtest.hostile.attacks_http import ANSWER_SECONDS, CHUNK, Held, Listener, Sent, connected, get, hold, post, pour

ENDLESS = b"a" * CHUNK
"""A piece of a header that never ends."""


async def many_headers(listener: Listener, limit: int = 16 * 2**20) -> Sent:
    """Sends up to `limit` bytes of small headers."""
    line = b"x-small: 1\r\n"
    return await pour(listener, b"GET /healthz HTTP/1.1\r\nhost: listener\r\n", line * (CHUNK // len(line)), limit)


async def endless_trailer(listener: Listener, path: str, *headers: str, more: bytes = ENDLESS) -> Sent:
    """Sends a body and the start of a trailer, then repeats `more` up to 64 MiB. `headers` may contain a key."""
    head = post(path, "transfer-encoding: chunked", *headers) + b"1\r\na\r\n0\r\nx-endless: "
    return await pour(listener, head, more, 64 * 2**20)


async def status_of(listener: Listener, request: bytes | None = None) -> int | None:
    """Sends one complete request like an ordinary client. Returns the HTTP status, or None without an answer."""
    try:
        async with connected(listener) as (reader, writer):
            writer.write(request or get())
            answer = await asyncio.wait_for(reader.read(CHUNK), ANSWER_SECONDS)
    except OSError:
        return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/1.") else None


async def silent(listener: Listener, count: int, seconds: float) -> Held:
    """Opens connections that send nothing, like `hold`."""
    return await hold(listener, count, seconds, b"")


async def half_sent_headers(listener: Listener, count: int, seconds: float) -> Held:
    """Opens connections, each with a call whose first frame is incomplete, like `hold`."""
    return await hold(listener, count, seconds, GREETING + frame(HEADERS, CALL, stream=1, length=1000))


async def greeted(listener: Listener, seconds: float = 10.0) -> bool:
    """Returns whether the port answers a client's greeting with its own settings within `seconds`."""
    try:
        async with connected(listener) as (reader, writer):
            writer.write(GREETING)
            answer = await asyncio.wait_for(reader.readexactly(9), seconds)
            return answer[3] == SETTINGS
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return False
