"""Tests that a lost record and one that is stored twice do not cancel each other out."""

from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client

from kit.clock import SystemClock
from kit.settings import Settings
from loadtest.bench import Bench
from loadtest.corpus.records import SMALL
from loadtest.ingest.measure import IngestMeasurement
from loadtest.ingest.study import Cost, IngestReport
from loadtest.own_stack import OwnStack, Sender
from loadtest.traffic.sender import REQUEST_RECORDS, Extent


@pytest.mark.parametrize(("distinct", "is_met"), [(REQUEST_RECORDS, True), (REQUEST_RECORDS - 1, False)])
def test_a_record_that_is_stored_twice_does_not_stand_for_a_lost_one(
    distinct: int, is_met: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def query(sql: str, **_: object) -> SimpleNamespace:
        return SimpleNamespace(result_rows=[[distinct if "uniqExact(id)" in sql else REQUEST_RECORDS]])

    cost = Cost(bytes=SMALL.size * REQUEST_RECORDS, cpu_seconds={"clickhouse": 1.0})
    for name, result in (("_warm_up", None), ("_through_logsieve", cost), ("_native", cost)):
        monkeypatch.setattr(IngestMeasurement, name, lambda *_, result=result: result)
    bench = SimpleNamespace(clock=SystemClock(), seed=1, say=lambda _: None)
    stack = SimpleNamespace(settings=Settings(), create_sender=lambda name: Sender(name, 1, 0, ""))
    client = cast(Client, SimpleNamespace(query=query))

    found = IngestMeasurement(cast(Bench, bench), cast(OwnStack, stack), client).measure(SMALL, Extent(1, None))

    assert IngestReport(sizes=(found,), seconds=0).passed is is_met
    assert IngestReport(smoke=True, sizes=(found,), seconds=0).passed is is_met
