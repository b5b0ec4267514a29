"""Tests that only the loader that examines the disks shows a report on them in metrics."""

import asyncio
from contextlib import nullcontext
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from ingest.storage import periodic
from ingest.storage.owner import LEASE_NAME, StorageOwner
from ingest.storage.periodic import Storage
from ingest.storage.shown import ShownReport
from kit import metrics
from kit.clock import ManualClock
from kit.metric import Metric
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LEASE_SECONDS, take_lease
from schema.control.storage import PredictedLoss, StorageReport, TenantStorage, VolumeStorage

LOSS = PredictedLoss(on=1, first_day=0, last_day=0, bytes=7)
LOSING, KEEPING = (TenantStorage(bytes=9, share=9, daily=9, first_day=0, loss=loss) for loss in (LOSS, None))


class Gauges(dict[tuple[str, str | None], float]):
    """Takes the place of all gauges. Has the newest value of each, by the name of the metric and the server."""

    def of(self, metric: Metric) -> "Gauge":
        return Gauge(self, metric.name)


class Gauge:
    def __init__(self, seen: Gauges, name: str) -> None:
        self._seen, self._name = seen, name

    def set(self, amount: float, labels: dict[str, str] | None = None) -> None:
        self._seen[self._name, (labels or {}).get("server")] = amount


@pytest.fixture
def gauges(monkeypatch: pytest.MonkeyPatch) -> Gauges:
    seen = Gauges()
    monkeypatch.setattr(metrics, "gauge", seen.of)
    return seen


def report(*servers: str) -> StorageReport:
    """Returns a report with a full volume on each server, and one of two tenants losing days."""
    volumes = [VolumeStorage(server=each, total=10, used=8, logs=8, freed_later=0, over=3) for each in servers]
    return StorageReport(
        examined_at_ns=1, target_percent=50, guaranteed=0, volumes=tuple(volumes), tenants={1: LOSING, 2: KEEPING}
    )


def values(server: str, used: float, over: int) -> dict[tuple[str, str | None], float]:
    return {("logsieve.storage.used", server): used, ("logsieve.storage.over", server): over}


def losing(tenants: int) -> dict[tuple[str, str | None], float]:
    return {("logsieve.storage.losing", None): tenants}


def test_a_server_that_is_no_longer_examined_is_shown_as_empty(gauges: Gauges) -> None:
    shown = ShownReport()
    shown.hide()
    assert gauges == {}
    shown.show(report("a", "b"))
    assert gauges == values("a", 0.8, 3) | values("b", 0.8, 3) | losing(1)
    shown.show(report("b"))
    assert gauges == values("a", 0, 0) | values("b", 0.8, 3) | losing(1)
    shown.hide()
    assert gauges == values("a", 0, 0) | values("b", 0, 0) | losing(0)


def test_a_loader_that_lost_the_lease_shows_no_report(
    gauges: Gauges, control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Owner(StorageOwner):
        async def run_once(self, engine: AsyncEngine) -> StorageReport:  # noqa: ARG002
            self._shown.show(report("a"))
            return report("a")

    monkeypatch.setattr(periodic, "StorageOwner", Owner)
    monkeypatch.setattr(periodic, "connect", lambda *_, **__: nullcontext())
    monkeypatch.setattr(periodic, "remove_days", lambda *_: [])
    settings, clock = Settings(home=control_home), ManualClock(1_800_000_000 * 10**9)
    storage = Storage(settings, clock)

    async def lose_lease() -> bool:
        async with opened(settings.control_plane_url) as engine:
            return await take_lease(engine, LEASE_NAME, "another loader", clock.now_ns())

    storage.run_once()
    assert gauges == values("a", 0.8, 3) | losing(1)
    clock.advance(LEASE_SECONDS)
    assert asyncio.run(lose_lease())
    storage.run_once()
    assert gauges == values("a", 0, 0) | losing(0)
