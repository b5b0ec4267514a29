"""Tests what a request holds and counts after its sender has cancelled it, while its message waits for Kafka."""

import asyncio

import pytest

from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver, Topic
from kit.errors import LogsieveError, RateLimited, Unavailable
from kit.settings import Settings
from schema.envelope import Envelope
from tests.ingest.requests import request_of


class SlowTopic(Topic):
    """Fake topic that answers only when `answers` is set."""

    def __init__(self, failure: LogsieveError | None) -> None:
        super().__init__(failure)
        self.sent, self.answers = asyncio.Event(), asyncio.Event()

    async def send(self, envelope: Envelope, value: bytes) -> None:
        self.sent.set()
        await self.answers.wait()
        await super().send(envelope, value)


@pytest.mark.parametrize("failure", [None, Unavailable("it timed out")])
def test_a_cancelled_request_holds_its_bytes_until_kafka_answers_and_counts_if_kafka_has_it(
    failure: LogsieveError | None,
) -> None:
    body = request_of(NOW).SerializeToString()
    unhandled: list[object] = []

    async def cancel() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: unhandled.append(context))
        topic = SlowTopic(failure)
        receiver = Receiver(topic)
        intake, budget = receiver.intake(Settings()), MemoryBudget(2 * len(body))

        async def export() -> None:
            with budget.share(TENANT.id) as share:
                share.grow(len(body))
                await intake.take(TENANT, Export(body, Encoding.protobuf, ""), share)

        taking = asyncio.create_task(export())
        await topic.sent.wait()
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        with budget.share(TENANT.id) as share:
            with pytest.raises(RateLimited):
                share.grow(1)
            assert not receiver.quota.counts
            topic.answers.set()
            async with asyncio.timeout(30):
                await share.grow_when_there_is_room(len(body))
        intake.close()
        assert receiver.quota.counts == ({} if failure else {TENANT.id: len(body)})

    asyncio.run(cancel())
    assert unhandled == []
