"""Attacks on an HTTP port by a client without a key. Each returns what happened; the caller judges it."""

import asyncio
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from loadtest.hostile.attack import CLOSED, OPEN, REFUSED, SILENT, Answers

CHUNK = 64 * 2**10
"""Bytes of one write, and largest number of bytes of an answer that are kept."""

ANSWER_SECONDS = 30.0
"""Longest wait, in seconds, for an answer or for the port to close a connection."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A port that is attacked, and how it is reached."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    source: str | None = None
    """Client address of the attack. On Linux, every 127.x.y.z is an address of this machine."""


@dataclass(frozen=True, slots=True)
class Sent:
    """Outcome of one connection that sends a long stream of bytes."""

    size: int
    """Bytes written before the port closed the connection or the attack ended. Some may still be in buffers."""
    answer: bytes
    """Start of the answer, at most 64 KiB. Empty if the answer had no end in time."""
    closed: bool
    """True if the port closed the connection."""

    @property
    def status(self) -> int | None:
        """HTTP status of the answer, or None if there was none."""
        return next(iter(_statuses(self.answer)), None)


@dataclass(slots=True)
class Held:
    """Outcome of many connections that try to stay open."""

    left: int = 0
    """Connections still open at the end."""
    statuses: Counter[int | None] = field(default_factory=Counter)
    """Last HTTP status of each other connection. None stands for a connection without an HTTP answer."""
    answers: Answers = field(default_factory=Counter)
    """Last HTTP status of each connection, open or not, or a word of `attack.py` for one without an HTTP answer."""


def get(path: str = "/healthz", *headers: str) -> bytes:
    """Returns a complete request without a body."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "host: listener", *headers, "", ""]).encode()


def post(path: str, *headers: str) -> bytes:
    """Returns the head of a request with a body."""
    return "\r\n".join([f"POST {path} HTTP/1.1", "host: listener", *headers, "", ""]).encode()


async def endless_header(listener: Listener, limit: int = 16 * 2**20) -> Sent:
    """Sends one header whose value does not end within `limit` bytes."""
    return await pour(listener, b"GET /healthz HTTP/1.1\r\nhost: listener\r\nx-endless: ", b"a" * CHUNK, limit)


async def endless_request_line(listener: Listener, limit: int = 16 * 2**20) -> Sent:
    """Sends a URL that does not end within `limit` bytes."""
    return await pour(listener, b"GET /healthz?", b"a" * CHUNK, limit)


async def endless_body(listener: Listener, path: str, *headers: str, limit: int = 400 * 2**20) -> Sent:
    """Sends a chunked body that does not end within `limit` bytes. `headers` may contain a key."""
    chunk = b"%x\r\n%s\r\n" % (CHUNK, b"a" * CHUNK)
    return await pour(listener, post(path, "transfer-encoding: chunked", *headers), chunk, limit)


async def tiny_chunks(listener: Listener, path: str, *headers: str, limit: int) -> Sent:
    """Sends a body in chunks of one byte, which does not end within `limit` bytes. `headers` may contain a key."""
    return await pour(listener, post(path, "transfer-encoding: chunked", *headers), b"1\r\na\r\n" * CHUNK, limit)


async def half_sent(
    listener: Listener, count: int, seconds: float, started: bytes = b"GET /healthz HTTP/1.1\r\nhost: d"
) -> Held:
    """Opens connections that send `started` and nothing more, like `hold`."""
    return await hold(listener, count, seconds, started)


async def slow_headers(listener: Listener, count: int, seconds: float, pause: float = 0.5) -> Held:
    """Opens connections that send one more byte of a header every `pause` seconds, like `hold`."""
    return await hold(listener, count, seconds, b"GET /healthz HTTP/1.1\r\nx-slow: ", pause)


async def slow_body(
    listener: Listener, path: str, count: int, seconds: float, *headers: str, pause: float = 0.5
) -> Held:
    """Opens requests whose bodies are sent one byte every `pause` seconds, like `hold`. `headers` may contain a key."""
    return await hold(listener, count, seconds, post(path, "content-length: 1000000", *headers), pause)


async def idle(listener: Listener, count: int, seconds: float) -> Held:
    """Opens connections that send one request and stay open, like `hold`."""
    return await hold(listener, count, seconds, get())


@dataclass(frozen=True, slots=True)
class Ending:
    """End of a stream that the port has not closed: the last bytes to write, and the test for a complete answer."""

    last: bytes = b""
    is_whole: Callable[[bytes], bool] = lambda _: False
    seconds: float = ANSWER_SECONDS
    """Longest wait, in seconds, for the answer or for the port to close the connection."""


_NONE = Ending()


async def pour(listener: Listener, head: bytes, piece: bytes, limit: int, ending: Ending = _NONE) -> Sent:
    """Sends `head`, then repeats `piece` up to `limit` bytes or until the port answers."""
    answer, sent = bytearray(), 0
    async with connected(listener) as (reader, writer):
        reading = asyncio.ensure_future(_read(reader, answer, ending.is_whole))
        with suppress(OSError):
            writer.write(head)
            while sent < limit and not reading.done():
                writer.write(piece)
                sent += len(piece)
                draining = asyncio.ensure_future(writer.drain())
                await asyncio.wait((draining, reading), return_when=asyncio.FIRST_COMPLETED)
                if reading.done():
                    draining.cancel()
                with suppress(asyncio.CancelledError):
                    await draining
            writer.write(ending.last)
        done, _ = await asyncio.wait((reading,), timeout=ending.seconds)
        if not done:
            reading.cancel()
            return Sent(sent, b"", closed=False)
        return Sent(sent, bytes(answer), closed=reading.result())


async def _read(
    reader: asyncio.StreamReader, kept: bytearray, is_whole: Callable[[bytes], bool] = _NONE.is_whole
) -> bool:
    """Reads an answer, and adds its first CHUNK bytes to `kept`.

    Returns true when the port has closed the connection, false as soon as the answer is complete.
    """
    with suppress(OSError):
        while piece := await reader.read(CHUNK):
            kept += piece[: CHUNK - len(kept)]
            if is_whole(bytes(kept)):
                return False
    return True


async def hold(listener: Listener, count: int, seconds: float, started: bytes, pause: float | None = None) -> Held:
    """Opens `count` connections that send `started`, then one byte every `pause` seconds unless `pause` is None.

    Waits at most `seconds` for the port to close them all.
    """
    held = Held()
    until = time.monotonic() + seconds
    await asyncio.gather(*(_hold_one(listener, started, pause, until, held) for _ in range(count)))
    return held


async def _hold_one(listener: Listener, started: bytes, pause: float | None, until: float, held: Held) -> None:
    """Holds one connection until the port closes it, or until `until` in monotonic seconds. Adds its end to `held`."""
    answer, word = bytearray(), REFUSED
    with suppress(OSError):
        async with connected(listener) as (reader, writer):
            word = CLOSED
            writer.write(started)
            dripping = asyncio.create_task(_drip(writer, pause))
            try:
                await asyncio.wait_for(_read(reader, answer), max(0.0, until - time.monotonic()))
            except TimeoutError:
                word = OPEN if answer else SILENT
            finally:
                dripping.cancel()
    status = next(reversed(_statuses(bytes(answer))), None)
    held.answers[word if status is None else str(status)] += 1
    if word in (OPEN, SILENT):
        held.left += 1
    else:
        held.statuses[status] += 1


async def _drip(writer: asyncio.StreamWriter, pause: float | None) -> None:
    with suppress(OSError):
        while pause is not None:
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(pause)


@asynccontextmanager
async def connected(listener: Listener) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    local = (listener.source, 0) if listener.source is not None else None
    reader, writer = await asyncio.open_connection(listener.host, listener.port, ssl=listener.tls, local_addr=local)
    try:
        yield reader, writer
    finally:
        # Aborts instead of closing, because closing would wait for a port that does not read.
        writer.transport.abort()


def _statuses(answer: bytes) -> list[int]:
    """Returns the HTTP status of each answer in the bytes."""
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.")]
