"""Makes attacks of connections: endless streams of bytes, and connections that stay open."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final

from kit.clock import SystemClock
from loadtest.hostile.attack import CLOSED, HOLDER, REFUSED, SILENT, SOURCE, Act, Answers, Effort, Prepare, Target
from loadtest.hostile.attacks_grpc import status_in
from loadtest.hostile.attacks_http import Held, Listener, Sent, endless_body, get, half_sent, slow_body, tiny_chunks

ADDRESSES: Final = tuple(f"127.0.1.{number}" for number in range(1, 7))
"""Client addresses of the flood of connections. There are several, so that no limit per address stops it."""
BUSY_SECONDS: Final = 5.0
"""Longest time, in seconds, that a busy machine takes to accept a gRPC connection, and to answer the last of several
streams."""

_POURING: Final = 4
"""Endless streams that are sent to each port at the same time."""
_BODY_BYTES: Final = 64 * 2**20
_BODY_SECONDS: Final = 15.0
"""Longest time, in seconds, that slow bodies are sent. After 30 s the receiver ends them with 429."""
_STREAMS: Final = 8
"""Smallest number of exports and tails that are open at once: twice as many exports as a tenant may have."""

Listeners = Callable[[Target], Sequence[Listener]]
"""Returns the ports under attack."""


def http_ports(target: Target) -> Sequence[Listener]:
    return [Listener(*address, source=HOLDER) for address in (target.otlp_http, target.api)]


def http_ports_from_all_addresses(target: Target) -> Sequence[Listener]:
    return [replace(listener, source=source) for listener in http_ports(target) for source in ADDRESSES]


def grpc_port(target: Target) -> Sequence[Listener]:
    return [Listener(*target.otlp_grpc, source=HOLDER)]


def held(
    attack: Callable[[Listener, int, float], Awaitable[Held]], share: int, listeners: Listeners = http_ports
) -> Prepare:
    """Opens connections to each port: `Effort.connections` divided by `share`."""
    return lambda target, effort: _hold(
        [partial(attack, listener, effort.connections // share, effort.hold_seconds) for listener in listeners(target)]
    )


def streams(path: str, count: int) -> Prepare:
    """Opens streams at once, and reads each until it ends or the time is over. `{}` in the path is its number."""

    def prepare(target: Target, effort: Effort) -> Act:
        headers = ("connection: close", f"authorization: Bearer {target.query_key}")
        most, seconds = min(count, max(_STREAMS, effort.connections // 2)), max(BUSY_SECONDS, effort.seconds)
        requests = [get(path.format(number), *headers) for number in range(most)]
        return _hold([partial(half_sent, Listener(*target.api, source=SOURCE), 1, seconds, each) for each in requests])

    return prepare


def slow_bodies(target: Target, effort: Effort) -> Act:
    """Opens requests with a key from all addresses, whose bodies are sent byte by byte."""
    headers = f"authorization: Bearer {target.ingest_keys[0]}", "content-type: application/x-protobuf"
    number, seconds = effort.connections // 2, min(effort.hold_seconds, _BODY_SECONDS)
    listeners = [Listener(*target.otlp_http, source=source) for source in ADDRESSES]
    return _hold([partial(slow_body, listener, "/v1/logs", number, seconds, *headers) for listener in listeners])


def together(*attacks: Prepare) -> Prepare:
    """Runs several attacks at the same time."""

    def prepare(target: Target, effort: Effort) -> Act:
        acts = [attack(target, effort) for attack in attacks]

        def act() -> Answers:
            with ThreadPoolExecutor(len(acts), thread_name_prefix="attacks") as pool:
                return sum((started.result() for started in [pool.submit(each) for each in acts]), Counter())

        return act

    return prepare


def _hold(attacks: Sequence[Callable[[], Awaitable[Held]]]) -> Act:
    """Returns an attack that runs all of `attacks` at the same time until each has ended."""

    async def act() -> Answers:
        ended = await asyncio.gather(*(attack() for attack in attacks))
        return sum((each.answers for each in ended), Counter())

    return lambda: asyncio.run(act())


def endless_bodies(target: Target, effort: Effort) -> Act:
    def attack(listener: Listener) -> Awaitable[Sent]:
        path = "/v1/logs" if listener.port == target.otlp_http[1] else "/api/v1/admin/tenants"
        return endless_body(listener, path, limit=_BODY_BYTES)

    return poured(attack)(target, effort)


def bodies_of_tiny_chunks(target: Target, effort: Effort) -> Act:
    """Sends bodies in chunks of one byte, with keys, on the ports of OTLP and REST."""

    def attack(listener: Listener) -> Awaitable[Sent]:
        is_receiver = listener.port == target.otlp_http[1]
        path, key = ("/v1/logs", target.ingest_keys[0]) if is_receiver else ("/api/v1/logs/search", target.query_key)
        headers = f"authorization: Bearer {key}", "content-type: application/json"
        return tiny_chunks(listener, path, *headers, limit=_BODY_BYTES)

    return poured(attack)(target, effort)


def poured(attack: Callable[[Listener], Awaitable[Sent]], listeners: Listeners = http_ports) -> Prepare:
    """Repeats the attack on each port, `_POURING` times at once."""

    def prepare(target: Target, effort: Effort) -> Act:
        clock = SystemClock()

        async def again(listener: Listener, deadline: float) -> Answers:
            answers: Answers = Counter()
            for _ in range(-(-effort.requests // _POURING)):
                if clock.monotonic() >= deadline:
                    break
                try:
                    answers[_word(await attack(listener))] += 1
                except OSError:
                    answers[REFUSED] += 1
            return answers

        async def act() -> Answers:
            deadline = clock.monotonic() + effort.seconds
            pouring = (again(listener, deadline) for listener in listeners(target) for _ in range(_POURING))
            return sum(await asyncio.gather(*pouring), Counter())

        return lambda: asyncio.run(act())

    return prepare


def _word(sent: Sent) -> str:
    grpc_status = status_in(sent.answer)
    if grpc_status is not None:
        return grpc_status.name
    return str(sent.status) if sent.status else CLOSED if sent.closed else SILENT
