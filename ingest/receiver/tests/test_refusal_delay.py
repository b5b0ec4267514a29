"""Tests which refusals are delayed, for how long, and how many at the same time."""

import asyncio
from dataclasses import dataclass, field

import grpc
import pytest

from ingest.receiver import grpc as receiver_grpc
from ingest.receiver.grpc import SERVICE, grpc_server
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.refusal_delay import REFUSAL_SECONDS, DelayBounds, RefusalDelay, Sender
from ingest.receiver.status import Failure
from ingest.receiver.tests.fakes import BEARER, TENANT, Receiver
from ingest.receiver.tests.test_stalled_sender import OVER_ITS_QUOTA
from kit.errors import InvalidRequest, LogsieveError, RateLimited, Unavailable
from kit.settings import Settings
from schema.control.models import Purpose

OVER = Failure.of(RateLimited("over its limit", retry_after=60.0))
BOUNDS = DelayBounds(of_a_sender=2, in_all=3)


@dataclass
class Sleeps:
    """Records the requested sleeps, in seconds, which end only when the test ends them."""

    seconds: list[float] = field(default_factory=list)
    end: asyncio.Event = field(default_factory=asyncio.Event)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await self.end.wait()


async def started(delay: RefusalDelay, *senders: Sender) -> list[asyncio.Task[None]]:
    """Starts a wait for each sender, and returns when each waits or has ended."""
    tasks = [asyncio.create_task(delay.wait(OVER, sender)) for sender in senders]
    await asyncio.sleep(0)
    return tasks


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RateLimited("soon", retry_after=0.25), [0.25]),
        (RateLimited("late", retry_after=60.0), [REFUSAL_SECONDS]),
        (Unavailable("no Kafka", retry_after=60.0), []),
        (InvalidRequest("not OTLP"), []),
    ],
)
def test_only_answers_to_senders_over_a_limit_are_delayed(error: LogsieveError, seconds: list[float]) -> None:
    async def wait() -> list[float]:
        sleeps = Sleeps()
        sleeps.end.set()
        await RefusalDelay(None, sleeps.sleep).wait(Failure.of(error), 1)
        return sleeps.seconds

    assert asyncio.run(wait()) == seconds


def test_a_sender_and_all_together_have_so_many_delayed_answers() -> None:
    async def wait() -> None:
        sleeps = Sleeps()
        delay = RefusalDelay(BOUNDS, sleeps.sleep)
        waiting = await started(delay, 1, 1, 1, "198.51.100.7", 2)
        assert [task.done() for task in waiting] == [False, False, True, False, True]
        sleeps.end.set()
        await asyncio.gather(*waiting)
        sleeps.end.clear()
        again = await started(delay, 1, 2)
        assert [task.done() for task in again] == [False, False]
        sleeps.end.set()
        await asyncio.gather(*again)

    asyncio.run(wait())


def test_an_answer_whose_client_leaves_no_longer_counts() -> None:
    async def wait() -> None:
        sleeps = Sleeps()
        delay = RefusalDelay(DelayBounds(of_a_sender=1, in_all=1), sleeps.sleep)
        (left,) = await started(delay, 1)
        left.cancel()
        await asyncio.wait([left])
        (waits,) = await started(delay, 1)
        assert not waits.done()
        waits.cancel()

    asyncio.run(wait())


@pytest.mark.parametrize(
    ("key", "sender"), [(BEARER[Purpose.ingest], TENANT.id), ("Bearer wrong", "127.0.0.1")], ids=["tenant", "address"]
)
def test_refusals_over_grpc_are_delayed(key: str, sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that the answer comes after the delay, which counts for the tenant, or for the address of a wrong key."""
    delayed: list[tuple[Sender, int]] = []

    class Delay(RefusalDelay):
        async def wait(self, failure: Failure, sender: Sender) -> None:
            delayed.append((sender, failure.http_status))

    async def call() -> None:
        monkeypatch.setattr(receiver_grpc, "RefusalDelay", Delay)
        intake = Receiver(tenant=OVER_ITS_QUOTA).intake(Settings())
        server = grpc_server(Settings(), intake, MemoryBudget(2**30), share_port=False).server
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                export: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Export")
                answer = export(b"", metadata=(("authorization", key),), timeout=30)
                assert await answer.code() is not grpc.StatusCode.OK
        finally:
            await server.stop(None)
            intake.close()

    asyncio.run(call())
    assert [each for each, _ in delayed] == [sender]
