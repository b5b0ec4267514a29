"""Tests that wrong keys over gRPC count against the client's address, also behind a trusted proxy."""

import asyncio
from dataclasses import dataclass, field

import grpc
import pytest

from ingest.receiver.grpc import SERVICE, grpc_server
from ingest.receiver.memory import MemoryBudget
from ingest.receiver.tests.fakes import BEARER, Keys, Receiver
from kit.clock import ManualClock
from kit.errors import Unauthenticated
from kit.settings import Settings
from schema.control.directory import Grant
from schema.control.models import Purpose
from schema.control.wrong_keys import WrongKeys

BUDGET = 2**30
LOOPBACK = "127.0.0.1"
WRONG_KEYS = 1
"""Wrong keys that an address may send in a minute."""


@dataclass
class LimitingKeys(Keys):
    """Fake directory that limits wrong keys by address, as the real one does."""

    wrong: WrongKeys = field(default_factory=lambda: WrongKeys(WRONG_KEYS, ManualClock()))

    def grant(self, key: str, address: str | None = None) -> Grant:
        try:
            return super().grant(key, address)
        except Unauthenticated:
            assert address is not None
            self.wrong.count(address)
            raise


def codes(trusted_proxies: str, *forwarded: tuple[str, ...], key: str = "Bearer wrong") -> list[str]:
    """Makes one call over loopback for each tuple, with its texts as x-forwarded-for. Returns the calls' codes."""

    async def called(port: int, entries: tuple[str, ...]) -> str:
        metadata = (("authorization", key), *(("x-forwarded-for", entry) for entry in entries))
        async with grpc.aio.insecure_channel(f"{LOOPBACK}:{port}") as channel:
            export: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/Export")
            call = export(b"", metadata=metadata, timeout=30)
            return (await call.code()).name

    async def served() -> list[str]:
        settings = Settings(trusted_proxies=trusted_proxies)
        intake = Receiver(keys=LimitingKeys()).intake(settings)
        server = grpc_server(settings, intake, MemoryBudget(BUDGET), share_port=False).server
        port = server.add_insecure_port(f"{LOOPBACK}:0")
        await server.start()
        try:
            return [await called(port, entries) for entries in forwarded]
        finally:
            await server.stop(None)
            intake.close()

    return asyncio.run(served())


def test_clients_behind_a_trusted_proxy_are_limited_one_by_one() -> None:
    assert codes(LOOPBACK, ("198.51.100.1",), ("198.51.100.1",), ("198.51.100.2",)) == [
        "UNAUTHENTICATED",
        "RESOURCE_EXHAUSTED",
        "UNAUTHENTICATED",
    ]


def test_only_the_address_that_the_proxy_appended_is_believed() -> None:
    claims = [("203.0.113.1, 198.51.100.1",), ("203.0.113.2, 198.51.100.1",), ("203.0.113.3", "198.51.100.1")]
    assert codes(LOOPBACK, *claims) == ["UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"]


@pytest.mark.parametrize("trusted", ["", "192.0.2.0/24"])
def test_a_client_that_is_no_trusted_proxy_cannot_name_another_address(trusted: str) -> None:
    assert codes(trusted, ("198.51.100.1",), ("198.51.100.2",)) == ["UNAUTHENTICATED", "RESOURCE_EXHAUSTED"]


def test_right_keys_are_answered_from_every_address() -> None:
    assert codes(LOOPBACK, *[("198.51.100.1",)] * 3, key=BEARER[Purpose.ingest]) == ["OK"] * 3
