"""Tests of the SQL that reads a page from a table of any layout, and of the tables that it reads."""

import re
from dataclasses import replace

import pytest

from backend.store.scope import TimeRange
from loadtest.pages import store
from loadtest.pages.layouts import CLICKSTACK, SIGNOZ, Layout, Source, plain, rewritten, windows
from loadtest.pages.questions import KNOWN, WORDS, Question
from loadtest.pages.sides import Placement, ours
from loadtest.pages.store import source
from schema.clickhouse.index_profiles import Profile

HOUR = 3_600 * 10**9
DAY = TimeRange(0, 24 * HOUR)


def test_one_query_and_its_rewrite_find_the_same() -> None:
    condition = Question("rare", "none", (("a", "b"), ("c",))).condition(CLICKSTACK.word)
    assert condition == (
        "(hasAllTokens(lower(Body), ['a']) AND hasAllTokens(lower(Body), ['b']) OR hasAllTokens(lower(Body), ['c']))"
    )
    local = Source(CLICKSTACK, "t", distributed=False)
    once = plain(local, condition, DAY, 100)
    assert once.startswith("SELECT * FROM t WHERE Timestamp >= fromUnixTimestamp64Nano(0)")
    assert once.endswith(f"AND ({condition}) ORDER BY Timestamp DESC LIMIT 100")
    key = "toStartOfFiveMinutes(Timestamp), ServiceName, Timestamp"
    twice = rewritten(local, condition, DAY, 100)
    assert f"({key}) IN (SELECT {key} {once.removeprefix('SELECT * ')})" in twice
    assert twice.endswith("ORDER BY Timestamp DESC")
    assert " GLOBAL IN (" in rewritten(Source(CLICKSTACK, "t", distributed=True), condition, DAY, 100)


@pytest.mark.parametrize("hours", [(1, 2, 4, 8, 16), (0.25, 6, 6, 12, 24), (24,), (5,)])
def test_windows_are_the_whole_span_back_from_its_end(hours: tuple[float, ...]) -> None:
    found = list(windows(replace(CLICKSTACK, hours=hours), DAY))
    assert found[0].end_ns == DAY.end_ns
    assert found[-1].start_ns == DAY.start_ns
    assert [each.start_ns for each in found[:-1]] == [each.end_ns for each in found[1:]]
    assert found[0].end_ns - found[0].start_ns == round(hours[0] * HOUR)


def test_questions_of_the_known_case_name_a_severity() -> None:
    word = source(ours(Profile.text), Placement.local).layout.word
    assert [each.query for each in KNOWN] == ["severity:>=info", "severity:>=info zmorning"]
    assert [each.condition(word) for each in KNOWN] == [
        "severity_number >= 9",
        "severity_number >= 9 AND hasToken(lower(body), 'zmorning')",
    ]
    assert {each.query for each in WORDS} >= {"zmorning", "zabsent OR zfrequent", "zfrequent zabsent"}


def test_shards_are_read_through_distributed_tables() -> None:
    local = source("exporter", Placement.local).table
    assert re.fullmatch("plans_exporter_[0-9a-f]{8}", local)
    assert source("exporter", Placement.shards).table == f"distributed_{local}_half"
    assert source(ours(Profile.tokenbf), Placement.shards).table == "distributed_logs_2"


@pytest.mark.parametrize(
    "changed", [replace(SIGNOZ, create=f"{SIGNOZ.create} "), replace(SIGNOZ, copy=f"{SIGNOZ.copy} ")]
)
def test_rows_of_a_layout_that_has_changed_are_not_read(changed: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a kept folder's table of an earlier layout is not taken for a full table of the present one."""
    before = source(SIGNOZ.name, Placement.local).table

    monkeypatch.setattr(store, "PEERS", (changed,))

    assert source(SIGNOZ.name, Placement.local).table != before
