"""Attacks by connections without a key: endless heads and bodies, and connections that stay open."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from kit.clock import SystemClock
from loadtest.hostile.attack import CLOSED, HOLDER, OPEN, REFUSED, SILENT, Act, Address, Answers, Effort, Target
from loadtest.hostile.attacks_grpc import status_in
from loadtest.hostile.attacks_http import Door, Holding, Pouring, Sent

ADDRESSES: Final = tuple(f"127.0.1.{number}" for number in range(1, 7))
"""Client addresses of the flood of connections. There are several, so that no limit per address stops it."""

_POURING: Final = 4
"""Endless streams that are sent to each port at the same time."""


def door(address: Address, source: str = HOLDER) -> Door:
    return Door(*address, source=source)


def http_doors(target: Target) -> tuple[Door, Door]:
    """Returns the ports of OTLP over HTTP and of REST."""
    return door(target.otlp_http), door(target.api)


def hold(attacks: Sequence[Callable[[], Holding]]) -> Act:
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


def pour(effort: Effort, attacks: Sequence[Callable[[], Pouring]]) -> Act:
    """Returns an attack that repeats each of `attacks`, `_POURING` at the same time."""
    clock = SystemClock()

    async def again(attack: Callable[[], Pouring], deadline: float) -> Answers:
        answers: Answers = Counter()
        for _ in range(-(-effort.requests // _POURING)):
            if clock.monotonic() >= deadline:
                break
            try:
                answers[_word(await attack())] += 1
            except OSError:
                answers[REFUSED] += 1
        return answers

    async def act() -> Answers:
        deadline = clock.monotonic() + effort.seconds
        pouring = (again(attack, deadline) for attack in attacks for _ in range(_POURING))
        return sum(await asyncio.gather(*pouring), Counter())

    return lambda: asyncio.run(act())


def _word(sent: Sent) -> str:
    grpc_status = status_in(sent.answer)
    if grpc_status is not None:
        return grpc_status.name
    return str(sent.status) if sent.status else CLOSED if sent.closed else SILENT
