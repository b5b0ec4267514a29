"""Tests that a request whose decoding takes too long is not sent to Kafka, because its sender has given up."""

import asyncio
import gzip
import threading
from contextlib import closing
from functools import partial

import pytest

from ingest.receiver import intake as module
from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver
from kit.errors import Unavailable
from kit.settings import Settings
from kit.tenant_threads import THREADS
from tests.ingest.requests import request_of


def test_a_request_that_gets_no_thread_is_refused_and_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DECODE_SECONDS", 0.05)
    body = request_of(NOW).SerializeToString()

    async def send() -> None:
        receiver, budget = Receiver(), MemoryBudget(100 * len(body))
        intake, end = receiver.intake(Settings()), threading.Event()
        work = partial(end.wait, 30)
        with closing(intake), budget.share(TENANT.id) as share:
            others = [asyncio.create_task(intake._decode_pool.in_thread(100 + each, work)) for each in range(THREADS)]
            await asyncio.sleep(0)
            compressed = Export(gzip.compress(body), Encoding.protobuf, "gzip")
            share.grow(len(compressed.body))
            with pytest.raises(Unavailable, match="decoding other requests"):
                await intake.take(TENANT, compressed, share)
            end.set()
            assert all(await asyncio.gather(*others))
            monkeypatch.undo()
            await intake.take(TENANT, compressed, share)
        assert [value for _, value in receiver.topic.messages] == [body]

    asyncio.run(send())
