"""Tests that compressed bodies that cannot be decompressed count for the tenant's rate."""

import asyncio
import dataclasses
import gzip
import zlib
from contextlib import closing

import pytest

from ingest.receiver.encoding import Encoding
from ingest.receiver.intake import Export
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import TENANT, Receiver
from kit.errors import InvalidRequest, LogsieveError, RateLimited, TooLarge
from kit.settings import Settings
from schema.control.limits import Limits

LARGEST = 100_000
BOMB = bytes(10 * LARGEST)
REST = b"more"
"""Bytes behind the end of a body."""


@pytest.mark.parametrize(
    ("body", "encoding", "error", "counts"),
    [
        (gzip.compress(BOMB), "gzip", TooLarge, True),
        (zlib.compress(BOMB), "deflate", TooLarge, True),
        (gzip.compress(bytes(LARGEST)) + REST, " GZIP", InvalidRequest, True),
        (gzip.compress(bytes(LARGEST))[:-1], "gzip", InvalidRequest, True),
        (b"text", "gzip", InvalidRequest, False),
        (BOMB, "zstd", InvalidRequest, False),
        (gzip.compress(BOMB), "br", InvalidRequest, False),
    ],
)
def test_a_body_that_takes_long_to_fail_counts_as_the_largest_request(
    body: bytes, encoding: str, error: type[LogsieveError], counts: bool
) -> None:
    tenant = dataclasses.replace(TENANT, limits=Limits(bytes_per_second=LARGEST // 100))

    async def send() -> None:
        receiver, budget = Receiver(tenant=tenant), MemoryBudget(100 * LARGEST)
        intake = receiver.intake(Settings(request_max_bytes=LARGEST))

        async def export() -> None:
            with intake.receiving(tenant, 0), budget.share(tenant.id) as share:
                share.grow(len(body))
                await intake.take(tenant, Export(body, Encoding.protobuf, encoding), share)

        with closing(intake):
            with pytest.raises(error):
                await export()
            with pytest.raises(RateLimited if counts else error):
                await export()

    asyncio.run(send())
