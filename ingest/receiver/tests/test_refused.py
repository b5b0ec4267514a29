import asyncio
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from ingest.receiver.refused import RefusalCounter
from ingest.receiver.tests.fakes import NOW, TENANT, Receiver, Topic
from kit.clock import ManualClock
from kit.errors import Unavailable, UnsupportedMediaType
from kit.settings import Settings
from schema.control.tenant_lanes import TenantLanes
from schema.envelope import Envelope
from schema.refusals import Refusal, read_refusals, write_refusals

MINUTE = NOW // (60 * 10**9)
OTHER = replace(TENANT, id=TENANT.id + 1)
TENANTS = {each.id: each for each in (TENANT, OTHER)}


def envelope(*refusals: Refusal, at: int = NOW) -> Envelope:
    return Envelope(TENANT.id, TENANT.lane, TENANT.cohort, TENANT.body_max_bytes, at, refusals)


def test_counts_add_up_by_minute_and_reason_and_are_reported_once() -> None:
    async def report() -> None:
        topic, clock = Topic(), ManualClock(NOW)
        refused = RefusalCounter(topic, TENANTS.get, clock)
        refused.count(TENANT, "too_old", records=2, size=20)
        refused.count(TENANT, "too_old", records=1, size=10)
        refused.count(TENANT, "bytes_per_second", requests=1, size=5)
        clock.advance(60)
        refused.count(TENANT, "too_old", records=1, size=1)
        await refused.report()
        await refused.report()
        expected = (
            Refusal(MINUTE, "too_old", 0, 3, 30),
            Refusal(MINUTE, "bytes_per_second", 1, 0, 5),
            Refusal(MINUTE + 1, "too_old", 0, 1, 1),
        )
        assert topic.messages == [(envelope(*expected, at=NOW + 60 * 10**9), b"")]

    asyncio.run(report())


def test_what_kafka_does_not_take_is_reported_later_and_at_the_end() -> None:
    async def report() -> None:
        topic = Topic(failure=Unavailable("unreachable"))
        refused = RefusalCounter(topic, TENANTS.get, ManualClock(NOW))
        refused.start()
        refused.count(TENANT, "unavailable", requests=1)
        await refused.report()
        refused.count(TENANT, "unavailable", requests=1)
        topic.failure = None
        await refused.stop()
        assert topic.messages == [(envelope(Refusal(MINUTE, "unavailable", 2, 0, 0)), b"")]

    asyncio.run(report())


def test_counts_of_a_deleted_tenant_are_dropped_and_go_to_the_lane_that_the_tenant_has_now() -> None:
    async def report() -> None:
        topic, tenants = Topic(failure=Unavailable("unreachable")), dict(TENANTS)
        refused = RefusalCounter(topic, tenants.get, ManualClock(NOW))
        for tenant in (TENANT, OTHER):
            refused.count(tenant, "too_old", records=1)
        await refused.report()
        topic.failure = None
        del tenants[OTHER.id]
        tenants[TENANT.id] = replace(TENANT, lanes=TenantLanes(TENANT.lane + 1))
        await refused.report()
        tenants[OTHER.id] = OTHER
        await refused.report()
        assert [(sent.tenant_id, sent.lane) for sent, _ in topic.messages] == [(TENANT.id, TENANT.lane + 1)]

    asyncio.run(report())


def test_no_tenant_waits_for_the_report_of_another() -> None:
    async def report() -> None:
        together = asyncio.Barrier(2)

        class Slow(Topic):
            async def send(self, envelope: Envelope, value: bytes) -> None:
                await together.wait()
                await super().send(envelope, value)

        topic = Slow()
        refused = RefusalCounter(topic, TENANTS.get, ManualClock(NOW))
        for tenant in (TENANT, OTHER):
            refused.count(tenant, "too_old", records=1)
        async with asyncio.timeout(10):
            await refused.report()
        assert {sent.tenant_id for sent, _ in topic.messages} == {TENANT.id, OTHER.id}

    asyncio.run(report())


def test_one_warning_is_for_all_tenants_whose_counts_wait() -> None:
    async def report() -> None:
        refused = RefusalCounter(Topic(failure=Unavailable("unreachable")), TENANTS.get, ManualClock(NOW))
        for tenant in (TENANT, OTHER):
            refused.count(tenant, "too_old", records=1)
        with capture_logs() as lines:
            await refused.report()
        assert [(line["tenants"], line["reason"]) for line in lines] == [(2, "unreachable")]

    asyncio.run(report())


def test_one_warning_is_for_all_refusals_that_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.receiver.refused.MAX_KEPT", 1)

    async def report() -> None:
        topic = Topic()
        refused = RefusalCounter(topic, TENANTS.get, ManualClock(NOW))
        with capture_logs() as lines:
            for reason in ("too_old", "too_new", "severity_number"):
                refused.count(TENANT, reason, records=5_000)
            await refused.report()
            await refused.report()
        assert [(line["refusals"], line["kept"]) for line in lines] == [(10_000, 1)]
        assert topic.messages == [(envelope(Refusal(MINUTE, "too_old", 0, 5_000, 0)), b"")]

    asyncio.run(report())


def test_a_stop_does_not_wait_for_kafka_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.receiver.refused.STOP_SECONDS", 0.01)

    class Silent(Topic):
        async def send(self, envelope: Envelope, value: bytes) -> None:  # noqa: ARG002 the signature is the topic's
            await asyncio.Event().wait()

    async def stop() -> None:
        refused = RefusalCounter(Silent(), TENANTS.get, ManualClock(NOW))
        refused.count(TENANT, "too_old", records=1)
        async with asyncio.timeout(10):
            await refused.stop()

    asyncio.run(stop())


def test_a_stop_during_a_report_reports_what_was_counted_since(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.receiver.refused.REPORT_SECONDS", 0.0)
    waiting = asyncio.Event()

    class WithoutLeader(Topic):
        async def send(self, envelope: Envelope, value: bytes) -> None:
            if envelope.tenant_id == TENANT.id:
                waiting.set()
                await asyncio.Event().wait()
            await super().send(envelope, value)

    async def stop() -> None:
        topic = WithoutLeader()
        refused = RefusalCounter(topic, TENANTS.get, ManualClock(NOW))
        refused.count(TENANT, "too_old", records=1)
        refused.start()
        await waiting.wait()
        refused.count(OTHER, "too_old", records=1)
        async with asyncio.timeout(60):
            await refused.stop()
        assert [sent.tenant_id for sent, _ in topic.messages] == [OTHER.id]

    monkeypatch.setattr("ingest.receiver.refused.STOP_SECONDS", 30.0)
    asyncio.run(stop())


def test_announced_bytes_of_any_size_can_be_reported() -> None:
    settings = Settings(request_max_bytes=100_000)

    async def report() -> None:
        topic = Topic()
        receiver = Receiver(topic)
        intake = receiver.intake(settings)
        for _ in range(10_000):
            with pytest.raises(UnsupportedMediaType), intake.receiving(TENANT, 999_999_999_999_999):
                raise UnsupportedMediaType("text/plain")
        await receiver.refused.report()
        intake.close()
        ((sent, _),) = topic.messages
        assert read_refusals(write_refusals(sent.refusals)) == sent.refusals
        assert [each.size for each in sent.refusals] == [10_000 * 100_001]

    asyncio.run(report())
