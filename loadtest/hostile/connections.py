"""Attacks by connections without a key: endless heads and bodies, and connections that stay open."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

from kit.clock import SystemClock
from loadtest.hostile import attacks_grpc, attacks_http
from loadtest.hostile.attack import (
    CLOSED,
    HOLDER,
    OPEN,
    REFUSED,
    SILENT,
    Act,
    Address,
    Answers,
    Attacks,
    Effort,
    Target,
)
from loadtest.hostile.attacks_http import Door, Held, Sent

ATTACKS: Final = Attacks()
ADDRESSES: Final = tuple(f"127.0.1.{number}" for number in range(1, 7))
"""Client addresses of the flood of connections. There are several, so that no limit per address stops it."""

_POURING: Final = 4
"""Endless streams that are sent to each port at the same time."""
_PING_SECONDS: Final = 5.0
"""Longest wait, in seconds, for the port to close a connection that has sent all its pings.

On a busy machine, gRPC may accept the connection only later.
"""
_BODY_BYTES: Final = 64 * 2**20
_FEWER: Final = 3
"""Divisor of `Effort.connections` for half-sent requests to each port. It keeps them below the limit of one address."""
_PATHS: Final = ("/v1/logs", "/api/v1/admin/tenants")


@ATTACKS.add(
    "endless bodies without a key",
    "in chunks, on the ports of OTLP and REST",
    "401",
)
def endless_bodies(target: Target, effort: Effort) -> Act:
    doors = zip(_http(target), _PATHS, strict=True)
    return _pour(
        effort,
        [partial(attacks_http.endless_body, door, path, limit=_BODY_BYTES) for door, path in doors],
    )


@ATTACKS.add("endless headers", "on the ports of OTLP and REST", "431")
def endless_headers(target: Target, effort: Effort) -> Act:
    return _pour(effort, [partial(attacks_http.endless_header, door) for door in _http(target)])


@ATTACKS.add("endless URLs", "on the ports of OTLP and REST", "414")
def endless_urls(target: Target, effort: Effort) -> Act:
    return _pour(effort, [partial(attacks_http.endless_request_line, door) for door in _http(target)])


@ATTACKS.add("huge gRPC headers", "16 MiB in continued frames", "RESOURCE_EXHAUSTED")
def huge_grpc_headers(target: Target, effort: Effort) -> Act:
    door = _door(target.otlp_grpc)
    return _pour(effort, [partial(attacks_grpc.huge_headers, door)], _grpc_word)


@ATTACKS.add("gRPC pings", "without an end", CLOSED, also=(SILENT,))
def grpc_pings(target: Target, effort: Effort) -> Act:
    door = _door(target.otlp_grpc)
    return _pour(effort, [partial(attacks_grpc.pings, door, seconds=_PING_SECONDS)])


@ATTACKS.add(
    "half-sent requests",
    "500 on each of the ports of OTLP and REST, which then say nothing",
    "408",
)
def half_sent(target: Target, effort: Effort) -> Act:
    count, seconds = effort.connections // _FEWER, effort.hold_seconds
    return _hold([partial(attacks_http.half_sent, door, count, seconds) for door in _http(target)])


@ATTACKS.add("headers byte by byte", "250 on each of the ports of OTLP and REST", "408")
def slow_headers(target: Target, effort: Effort) -> Act:
    count, seconds = effort.connections // _FEWER // 2, effort.hold_seconds
    return _hold([partial(attacks_http.slow_headers, door, count, seconds) for door in _http(target)])


@ATTACKS.add(
    "idle connections",
    "1,500 from one address on each of the ports of OTLP and REST",
    "200",
    "503",
)
def idle_http(target: Target, effort: Effort) -> Act:
    return _hold([partial(attacks_http.idle, door, effort.connections, effort.hold_seconds) for door in _http(target)])


@ATTACKS.add("idle gRPC connections", "1,500 from one address", CLOSED, also=(OPEN,))
def idle_grpc(target: Target, effort: Effort) -> Act:
    """Opens more connections than one address may have. They send the greeting and make no call."""
    door = _door(target.otlp_grpc)
    return _hold([partial(attacks_grpc.idle, door, effort.connections, effort.hold_seconds)])


@ATTACKS.add(
    "a flood of connections",
    "750 from each of six addresses on each of the ports of OTLP and REST, more than there may be in all",
    "200",
    also=(CLOSED,),
)
def flood(target: Target, effort: Effort) -> Act:
    doors = [Door(*address, source=source) for address in (target.otlp_http, target.api) for source in ADDRESSES]
    count = effort.connections // 2
    return _hold([partial(attacks_http.idle, door, count, effort.hold_seconds) for door in doors])


def _http(target: Target) -> tuple[Door, Door]:
    return _door(target.otlp_http), _door(target.api)


def _door(address: Address) -> Door:
    return Door(*address, source=HOLDER)


def _hold(attacks: Sequence[Callable[[], Awaitable[Held]]]) -> Act:
    """Returns an attack that runs all of `attacks` at the same time until each has ended."""

    async def act() -> Answers:
        answers: Answers = Counter()
        for held in await asyncio.gather(*(attack() for attack in attacks)):
            for status, times in held.statuses.items():
                answers[CLOSED if status is None else str(status)] += times
            for status, times in held.left_statuses.items():
                answers[OPEN if status is None else str(status)] += times
            answers[CLOSED] -= held.refused
            answers[REFUSED] += held.refused
            answers[OPEN] -= held.left_silent
            answers[SILENT] += held.left_silent
        return +answers

    return lambda: asyncio.run(act())


def _word(sent: Sent) -> str:
    return str(sent.status) if sent.status else CLOSED if sent.closed else SILENT


def _grpc_word(sent: Sent) -> str:
    status = attacks_grpc.status_in(sent.answer)
    return _word(sent) if status is None else status.name


def _pour(effort: Effort, attacks: Sequence[Callable[[], Awaitable[Sent]]], word: Callable[[Sent], str] = _word) -> Act:
    """Returns an attack that repeats each of `attacks`, `_POURING` at the same time. `word` names an outcome."""
    clock = SystemClock()

    async def again(attack: Callable[[], Awaitable[Sent]], deadline: float) -> Answers:
        answers: Answers = Counter()
        for _ in range(-(-effort.requests // _POURING)):
            if clock.monotonic() >= deadline:
                break
            try:
                sent = await attack()
            except OSError:
                answers[REFUSED] += 1
            else:
                answers[word(sent)] += 1
        return answers

    async def act() -> Answers:
        deadline = clock.monotonic() + effort.seconds
        pouring = (again(attack, deadline) for attack in attacks for _ in range(_POURING))
        return sum(await asyncio.gather(*pouring), Counter())

    return lambda: asyncio.run(act())
