"""Tests how many bytes of the memory budget a request holds; the largest request fits into the smallest budget."""

import asyncio
import dataclasses
import gzip
import json
import random
from contextlib import closing

import httpx2
import pytest

from ingest.receiver.encoding import Encoding
from ingest.receiver.http import http_app
from ingest.receiver.intake import HELD_COPIES, THREAD_FROM_BYTES, Export
from ingest.receiver.main import run
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.sizing import worker_memory
from ingest.receiver.tests.fakes import BEARER, NOW, TENANT, Receiver, Topic, intake
from ingest.receiver.tests.test_http import JSON, PROTOBUF, URL, request
from kit.errors import InvalidRequest, TooLarge
from kit.fair_budget import Share
from kit.settings import Settings
from schema.attribute_rules import Action, Rule, TenantRules
from schema.control.models import Purpose
from schema.envelope import Envelope
from schema.tests.otlp_messages import field

LARGEST = 1_000_000
NOISE = random.Random(20_261_121).randbytes(LARGEST - 1000)
"""Bytes that do not compress."""


class Watching(Topic):
    """Fake topic that records how many bytes the request holds before Kafka answers."""

    share: Share
    held: int

    async def send(self, envelope: Envelope, value: bytes) -> None:
        self.held = self.share.size
        await super().send(envelope, value)


def as_json(body: str) -> bytes:
    record = {"timeUnixNano": str(NOW), "body": {"stringValue": body}, "attributes": [{"key": "secret"}]}
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()


PLAIN = request(NOW, body=NOISE.hex()[:50_000])


@pytest.mark.parametrize("rules", [(), (Rule("secret", False, Action.mask),)])
@pytest.mark.parametrize(
    ("body", "encoding", "compression"),
    [
        (PLAIN, Encoding.protobuf, ""),
        (gzip.compress(PLAIN), Encoding.protobuf, "gzip"),
        (as_json("x" * 50_000), Encoding.json, ""),
        (gzip.compress(as_json("x" * 50_000)), Encoding.json, "gzip"),
    ],
)
def test_while_kafka_has_it_a_request_holds_what_kafka_gets(
    body: bytes, encoding: Encoding, compression: str, rules: tuple[Rule, ...]
) -> None:
    topic = Watching()
    tenant = dataclasses.replace(TENANT, attribute_rules=TenantRules(own=rules))

    async def export() -> None:
        receiver = Receiver(topic, tenant).intake(Settings())
        with MemoryBudget(LARGEST).share(tenant.id) as topic.share:
            topic.share.grow(len(body))
            await receiver.take(tenant, Export(body, encoding, compression), topic.share)
        receiver.close()

    asyncio.run(export())
    [(_, value)] = topic.messages
    assert topic.held == len(value)


def test_a_request_that_does_not_grow_needs_no_more_memory_than_it_holds() -> None:
    topic, other = Topic(), TENANT.id + 1

    async def export() -> None:
        receiver, budget = intake(topic, Settings()), MemoryBudget(2 * len(PLAIN))
        with closing(receiver), budget.share(TENANT.id) as share, budget.share(other) as others:
            share.grow(len(PLAIN))
            others.grow(len(PLAIN) // 2)
            await receiver.take(TENANT, Export(PLAIN, Encoding.protobuf, ""), share)

    asyncio.run(export())
    assert len(topic.messages) == 1


@pytest.mark.parametrize(
    ("content", "content_type", "encoding"),
    [
        (field(15, NOISE), PROTOBUF, "gzip"),
        (as_json(NOISE.hex()[: LARGEST - 500]), JSON, "gzip"),
        (as_json(NOISE.hex()[: LARGEST - 500]), JSON, "identity"),
    ],
)
def test_the_largest_request_fits_into_the_smallest_budget(content: bytes, content_type: str, encoding: str) -> None:
    settings = Settings(request_max_bytes=LARGEST)

    async def send() -> int:
        receiver = intake(Topic(), settings)
        app = http_app(settings, receiver, MemoryBudget(MemoryBudget.size_for(HELD_COPIES * LARGEST)), {})
        headers = {
            "authorization": BEARER[Purpose.ingest],
            "content-type": content_type,
            "content-encoding": encoding,
        }
        body = gzip.compress(content) if encoding == "gzip" else content
        try:
            async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app)) as client:
                return (await client.post(URL, content=body, headers=headers)).status_code
        finally:
            receiver.close()

    assert asyncio.run(send()) == 200


@pytest.mark.parametrize("size", [10_000, 2 * THREAD_FROM_BYTES])
def test_json_that_becomes_too_large_does_not_wait_for_its_next_turn(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """U+FFFD has three bytes, so a request can be three times as large until it is refused."""
    monkeypatch.setattr("ingest.receiver.intake.prepare", lambda *_: pytest.fail("the request waited for this step"))
    body = as_json("?" * size).replace(b"?", b"\xff")

    async def export() -> None:
        receiver = intake(Topic(), Settings(request_max_bytes=2 * size))
        with MemoryBudget(LARGEST).share(TENANT.id) as share:
            share.grow(len(body))
            with pytest.raises(TooLarge, match=f"at most {2 * size} bytes"):
                await receiver.take(TENANT, Export(body, Encoding.json, ""), share)
        receiver.close()

    asyncio.run(export())


@pytest.mark.parametrize("workers", [1, 4])
def test_workers_share_the_memory(workers: int) -> None:
    assert worker_memory(Settings(), workers) == 256 * 2**20 // workers


def test_more_workers_than_there_is_memory_for_do_not_start() -> None:
    settings = Settings(receiver_workers=8)
    with pytest.raises(InvalidRequest, match=f"set LOGSIEVE_RECEIVER_MEMORY_BYTES to {512 * 2**20} or more"):
        run(settings)
    assert worker_memory(Settings(receiver_memory_bytes=512 * 2**20), 8) == 64 * 2**20


@pytest.mark.parametrize(("workers", "advised"), [(1, False), (2, True)])
def test_only_a_receiver_with_several_workers_is_advised_to_have_fewer(workers: int, advised: bool) -> None:
    with pytest.raises(InvalidRequest) as refused:
        worker_memory(Settings(receiver_memory_bytes=32 * 2**20), workers)
    assert ("fewer workers" in str(refused.value)) == advised
