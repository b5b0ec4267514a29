"""Tests thousands of damaged requests: each is answered, none with an error of ours."""

import asyncio
import json
import random
import zlib
from collections import Counter
from collections.abc import Callable

import httpx2
import pytest

from ingest.receiver.http import http_app
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.otlp_json import read_json
from ingest.receiver.tests.fakes import BEARER, NOW, Receiver
from kit.settings import Settings
from schema.control.models import Purpose
from schema.coordinates import Coordinates
from schema.otlp import decode_message
from tests.chance import SEED, repetitions

COUNT = repetitions(20_000)
URL = "http://receiver/v1/logs"
SETTINGS = Settings(request_max_bytes=1_000_000, request_max_records=50)
DOCUMENT = {
    "resourceLogs": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "checkout"}}]},
            "scopeLogs": [
                {
                    "scope": {"name": "s", "version": "1"},
                    "logRecords": [
                        {
                            "timeUnixNano": str(NOW),
                            "severityNumber": 9,
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "flags": 1,
                            "body": {"kvlistValue": {"values": [{"key": "ä", "value": {"doubleValue": 1.5}}]}},
                            "attributes": [
                                {"key": "n", "value": {"intValue": "9007199254740993"}},
                                {"key": "b", "value": {"bytesValue": "AP8="}},
                                {"key": "l", "value": {"arrayValue": {"values": [{"boolValue": True}, {}]}}},
                            ],
                        }
                    ]
                    * 3,
                }
            ],
        }
    ]
}
JSON = json.dumps(DOCUMENT).encode()
PROTOBUF = read_json(JSON)[0]
TOKENS = (
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b":",
    b"null",
    b"NaN",
    b"-1",
    b"1e999",
    b"\\ud800",
    b"\xff",
    b"\x00",
    b"99" * 40,
)


def damage_bytes(randomness: random.Random, body: bytes) -> bytes:
    """Changes, removes or repeats some bytes, or cuts off the end."""
    damaged = bytearray(body)
    for _ in range(randomness.randint(1, 8)):
        at = randomness.randrange(len(damaged))
        match randomness.randrange(5):
            case 0:
                damaged[at] ^= 1 << randomness.randrange(8)
            case 1:
                damaged[at] = randomness.randrange(256)
            case 2:
                del damaged[at : at + randomness.randint(1, 9)]
            case 3:
                piece = damaged[at : at + randomness.randint(1, 60)]
                damaged[at:at] = piece * randomness.randint(1, 4)
            case _:
                del damaged[max(at, 1) :]
        if not damaged:
            return b""
    return bytes(damaged)


def damage_json(randomness: random.Random, body: bytes) -> bytes:
    """Like `damage_bytes`, and also inserts pieces of JSON in wrong places."""
    at = randomness.randrange(len(body))
    token = randomness.choice(TOKENS) * randomness.choice((1, 1, 1, 3, 200))
    with_token = body[:at] + token + body[at + randomness.choice((0, 0, 1, 5)) :]
    return with_token if randomness.random() < 0.5 else damage_bytes(randomness, with_token)


@pytest.mark.parametrize(
    ("content_type", "body", "damage"),
    [("application/x-protobuf", PROTOBUF, damage_bytes), ("application/json", JSON, damage_json)],
)
def test_damaged_requests_are_refused_or_kept_whole(
    content_type: str, body: bytes, damage: Callable[[random.Random, bytes], bytes]
) -> None:
    randomness = random.Random(SEED)
    receiver = Receiver()
    statuses: Counter[int] = Counter()

    async def send_all() -> None:
        intake = receiver.intake(SETTINGS)
        app = http_app(SETTINGS, intake, MemoryBudget(SETTINGS.receiver_memory_bytes), {})
        headers = {"authorization": BEARER[Purpose.ingest], "content-type": content_type}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), headers=headers) as client:
            for number in range(COUNT // 2):
                content = damage(randomness, body)
                compressed = number % 10 == 0
                if compressed:
                    content = (
                        damage_bytes(randomness, zlib.compress(content)) if number % 20 else zlib.compress(content)
                    )
                encoding = {"content-encoding": "deflate"} if compressed else {}
                answer = await client.post(URL, content=content, headers=encoding)
                statuses[answer.status_code] += 1
                assert answer.status_code in (200, 400, 413), (answer.status_code, content)
        intake.close()

    asyncio.run(send_all())
    assert statuses[200] > COUNT // 100
    assert statuses[400] > COUNT // 10
    for envelope, value in receiver.topic.messages:
        decode_message(value, envelope, Coordinates(1, 0, 0))
