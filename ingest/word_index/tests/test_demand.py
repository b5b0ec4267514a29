"""Tests for which partition the index on searched words is built."""

from hypothesis import given
from hypothesis import strategies as st

from ingest.word_index.demand import MIN_BUILD_SECONDS, Demand, build_seconds
from ingest.word_index.searches import Searches, TablePartition, _partition

OLD = TablePartition("logs_0", "a")
NEW = TablePartition("logs_0", "b")
PARTS = {"logs_0": 10}
GIB = 2**30


def test_a_partition_is_due_when_its_searches_have_used_what_the_build_needs() -> None:
    demand, lacking = Demand(), {OLD: GIB}
    needed = build_seconds(GIB, PARTS["logs_0"])
    demand.add([Searches((OLD,), needed * 0.99)], lacking)
    assert demand.due(lacking, PARTS) is None
    demand.add([Searches((OLD,), needed * 0.02)], lacking)
    assert demand.due(lacking, PARTS) == OLD
    demand.forget(OLD)
    assert demand.due(lacking, PARTS) is None


def test_a_search_is_divided_by_the_bytes_without_the_index() -> None:
    demand, lacking = Demand(), {OLD: GIB, NEW: 3 * GIB}
    demand.add([Searches((OLD, NEW, TablePartition("logs_1", "c")), 8.0)], lacking)
    assert demand._seconds == {OLD: 2.0, NEW: 6.0}


def test_a_search_of_partitions_that_have_the_index_pays_for_nothing() -> None:
    demand = Demand()
    demand.add([Searches((OLD, NEW), 100.0)], {OLD: 0})
    assert demand.partitions == frozenset()


def test_the_partition_whose_build_has_been_paid_most_times_comes_first() -> None:
    demand, lacking = Demand(), {OLD: GIB, NEW: 2 * GIB}
    demand.add([Searches((OLD,), 300.0), Searches((NEW,), 400.0)], lacking)
    assert demand.due(lacking, PARTS) == OLD
    assert demand.due({**lacking, OLD: 0}, PARTS) == NEW, "the index of the other partition was built meanwhile"


def test_a_small_build_counts_as_a_second_and_each_part_of_the_table_costs_something() -> None:
    assert build_seconds(0, 0) == MIN_BUILD_SECONDS
    assert build_seconds(100 * GIB, 1_000) - build_seconds(100 * GIB, 0) == 10.0


@given(st.lists(st.tuples(st.sampled_from([OLD, NEW]), st.floats(0, 100), st.booleans()), max_size=50))
def test_builds_never_need_more_time_than_the_searches_before_them(
    searches: list[tuple[TablePartition, float, bool]],
) -> None:
    demand, lacking = Demand(), {OLD: GIB, NEW: 2 * GIB}
    searched = built = 0.0
    for partition, seconds, is_examined in searches:
        demand.add([Searches((partition,), seconds)], lacking)
        searched += seconds
        if is_examined and (due := demand.due(lacking, PARTS)):
            built += build_seconds(lacking[due], PARTS["logs_0"])
            demand.forget(due)
    assert built <= searched + 1e-6


def test_names_of_the_log_are_read_even_if_the_database_has_a_dot() -> None:
    assert _partition("a.b.logs_12.8fcf") == TablePartition("logs_12", "8fcf")
