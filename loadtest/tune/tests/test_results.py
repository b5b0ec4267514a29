"""Tests of the calculated filters, the Pareto front, the recommended candidates and the searches."""

from typing import cast

import pytest
from clickhouse_connect.driver.client import Client

from loadtest import bare_table
from loadtest.tune.calculator import false_positives, proposals, smallest_filter
from loadtest.tune.candidates import ALL, SHIPPED, Candidate, Granules, Probe, bloom, none, shipped, text, tokenbf
from loadtest.tune.run import medians, rows_to_write
from loadtest.tune.sample import Sample, SampledTenant
from loadtest.tune.store import TuneStore
from loadtest.tune.study import CandidateResult, TuneReport, front, recommendation
from loadtest.tune.suite import Words, cases, statement
from loadtest.tune.tenant_records import Stored, newest_table
from schema.clickhouse.index_profiles import Profile
from schema.columns import COLUMNS

WORDS = Words(
    ("info", "warn", "from"), ("alpha", "beta", "gamma"), ("r1", "r2", "r3"), ("a1", "a2", "a3"), ("of", "the")
)
DAY_NS = 86_400 * 10**9
SAMPLE = Sample(1000, 100_000, SampledTenant(7, ("r30", "t7")), SampledTenant(9, ("r30",)), 0, DAY_NS)
BY_512 = Granules(512)


def measured(candidate: Candidate, seconds: float, share: float, insert: float = 1.0) -> CandidateResult:
    return CandidateResult(
        name=candidate.name, kind=candidate.kind, type=candidate.type, seconds=seconds, by_case={"rare": seconds},
        rows_read=1.0, granules=1.0, search_memory=1.0, index_share=share, build_seconds=0.0, insert_cpu=insert,
        merge_cpu=0.0, write_memory=1.0, written=1.0,
    )  # fmt: skip


def test_a_table_with_earlier_columns_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a kept folder's table of earlier columns is not taken for a full table of the present ones."""
    tables = TuneStore(cast(Client, None), "4k_1000_1", print)
    by_granules = {tables.table(granules) for granules in (BY_512, Granules(512, 65_536), SHIPPED)}

    monkeypatch.setattr(bare_table, "COLUMNS", COLUMNS[:-1])

    assert len(by_granules) == 3
    assert by_granules.isdisjoint({tables.table(granules) for granules in (BY_512, SHIPPED)})


def test_a_filter_of_the_right_size_lets_few_through() -> None:
    # A filter with 10 bits per element and 7 hash functions has 0.82 % false positives.
    assert false_positives(1250 / 1024, 7, 1000) == pytest.approx(0.0082, abs=0.0001)


def test_a_proposed_filter_is_the_smallest_that_lets_few_through() -> None:
    kib = smallest_filter(0.001, 5, 6_000)

    assert false_positives(kib, 5, 6_000) <= 0.001 < false_positives(kib - 1, 5, 6_000)
    assert smallest_filter(0.001, 5, 1) == 1


def test_a_filter_that_is_compared_anyway_is_not_proposed_again() -> None:
    words = {Granules(64): 3_651.0, Granules(128): 5_989.0, SHIPPED: 3_651.0}

    found = proposals(words, ALL)

    assert [(each.type, each.granules) for each in found] == [("tokenbf_v1(13312, 5, 0)", Granules(128))]
    assert found[0].name == "tokenbf 13K/5 per 128"


def test_the_indexes_of_log_tables_are_compared_over_the_granules_of_log_tables() -> None:
    assert {shipped(profile) for profile in Profile} <= set(ALL)
    assert none(SHIPPED) in ALL
    assert SHIPPED.settings == {"index_granularity": 1_024, "index_granularity_bytes": 524_288}
    assert shipped(Profile.tokenbf).ddl == "body_words lower(body) TYPE tokenbf_v1(8192, 5, 0) GRANULARITY 1"


def test_there_are_enough_candidates_and_each_has_a_name() -> None:
    assert len(ALL) >= 30
    assert len({each.name for each in ALL}) == len(ALL)


def test_the_front_has_what_nothing_beats() -> None:
    """Tests the Pareto front, and that candidates with a large index are not recommended."""
    nothing, small = measured(none(BY_512), 4.0, 0.0), measured(tokenbf(65_536, 3, BY_512), 0.2, 0.02)
    large, index = measured(tokenbf(131_072, 3, BY_512), 0.3, 0.05), measured(text(BY_512), 0.01, 0.1)
    found = [nothing, small, large, index]

    assert front(found) == [nothing, small, index]
    assert recommendation(found, "tokenbf") == small
    assert recommendation([large], "tokenbf") is None


def test_near_ties_go_to_the_cheaper_to_write() -> None:
    first = measured(tokenbf(65_536, 3, BY_512), 0.100, 0.02, insert=3)
    second = measured(tokenbf(65_536, 5, BY_512), 0.103, 0.02, insert=2)

    assert recommendation([first, second], "tokenbf") == second


def test_rounds_count_by_their_median() -> None:
    candidate = tokenbf(65_536, 3, BY_512)
    found = medians([measured(candidate, seconds, 0.02, seconds) for seconds in (0.1, 9.0, 0.2)])

    assert found.seconds == pytest.approx(0.2)
    assert (found.by_case, found.insert_cpu) == ({"rare": 0.2}, 0.2)
    assert (found.least_seconds, found.most_seconds) == (0.1, 9.0)


@pytest.mark.parametrize(("tenant", "share", "goal"), [(None, "4.00%", "at most 4%"), ("demo", "4.00%", "")])
def test_only_made_up_records_have_a_goal(tenant: str | None, share: str, goal: str) -> None:
    candidates = (measured(none(SHIPPED), 1.0, 0.0), measured(shipped(Profile.tokenbf), 0.1, 0.04))
    report = TuneReport(rows=10, size="4k", tenant=tenant, rounds=1, write_rows=4, candidates=candidates, words={})

    tokenbf_row, text_row, as_shipped, _ = report.headline()

    assert (tokenbf_row.measured, tokenbf_row.goal) == (share, goal)
    assert text_row.measured == "none has at most 11%"
    assert as_shipped.measured == "1.00"
    assert report.passed == (tenant is not None), "a missing index on words misses a goal of made-up records alone"


def test_the_suite_has_every_class_in_the_form_that_the_index_needs() -> None:
    suite = cases(WORDS, SAMPLE)
    names = {case.name for case in suite}

    assert len(names) == len(suite)
    assert {"frequent", "rare", "absent", "phrase", "frequent AND frequent AND absent", "rare OR rare"} <= names
    sql, parameters = statement(suite[0], bloom(0.01, BY_512).probe, "t", SAMPLE)
    assert "has(tokens(lower(body)), {w0:String})" in sql
    assert "hasToken(lower(body), {w1:String})" in sql
    assert parameters == {"cohorts": ["r30", "t7"], "w0": "info", "w1": "info"}
    assert "info" not in sql
    assert Probe.token.value.format("x") in statement(suite[0], Probe.token, "t", SAMPLE)[0].replace("{w0:String}", "x")


def test_a_search_has_its_tenant_and_time_range() -> None:
    by_name = {case.name: statement(case, Probe.token, "t", SAMPLE)[0] for case in cases(WORDS, SAMPLE)}

    assert "tenant_id = 7" in by_name["rare"]
    assert "fromUnixTimestamp64Nano(0)" in by_name["rare"]
    assert f"fromUnixTimestamp64Nano({DAY_NS - DAY_NS // 24})" in by_name["rare, newest 24th"]
    assert "tenant_id = 9" in by_name["absent, small tenant"]


@pytest.mark.parametrize(
    ("rows", "record_bytes", "written"),
    [(100_000, 4_096, 4_000), (10**7, 300, 40_000), (10**6, 2**20, 512), (8, 300, 4)],
)
def test_records_that_are_written_fit_into_memory(rows: int, record_bytes: int, written: int) -> None:
    tenant = SampledTenant(7, ("r30",))

    assert rows_to_write(Sample(rows, rows * record_bytes, tenant, None, 0, DAY_NS)) == written


def test_the_newest_table_with_enough_records_is_copied() -> None:
    before_a_move, after_a_move = Stored(0, "logs_0", 5_000, 100), Stored(0, "logs_3", 2_000, 900)

    assert newest_table([before_a_move, after_a_move], 1_500) == after_a_move
    assert newest_table([before_a_move, after_a_move], 3_000) == before_a_move
    assert newest_table([before_a_move, after_a_move], 9_000) == before_a_move


def test_records_of_one_tenant_have_no_searches_of_a_small_one() -> None:
    alone = Sample(1000, 100_000, SampledTenant(7, ("r30",)), None, 0, DAY_NS)

    assert not any(case.small for case in cases(WORDS, alone))
