"""Tests that each part is counted once, and that parts which are replaced meanwhile are neither doubled nor lost."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from ingest.storage.part_rows import STEP_PARTS, STEP_ROWS, PartRowsReader

TABLE = "logs_0"
DAY = "day"


class Server:
    """Active parts of one table in one partition, and the names of the parts of each statement that counted rows.

    A mutation adds `_` and its number to the name of a part.
    """

    def __init__(self, parts: Mapping[str, Mapping[int, int]]) -> None:
        self.parts = dict(parts)
        self.deleted = set[str]()
        """Parts without visible rows, because a lightweight deletion marks all of them."""
        self.counted = list[list[str]]()
        self.settings = list[Mapping[str, object]]()
        self.before_count: Callable[[], None] = lambda: None
        self._blocks = dict[str, int]()

    def _block(self, name: str) -> int:
        return self._blocks.setdefault(name.split("_")[0], len(self._blocks))

    def query(
        self, statement: str, parameters: Mapping[str, list[str]], settings: Mapping[str, object] | None = None
    ) -> SimpleNamespace:
        if "system.parts" in statement:
            assert parameters == {"tables": [TABLE]}
            rows: list[tuple[object, ...]] = [
                (TABLE, DAY, self._block(name), self._block(name), 0, sum(counts.values()), name)
                for name, counts in self.parts.items()
            ]
            return SimpleNamespace(result_rows=rows)
        assert f"FROM {TABLE} WHERE _part IN" in statement
        self.before_count()
        self.counted.append(parameters["parts"])
        self.settings.append(settings or {})
        visible = {name: self.parts.get(name, {}) for name in parameters["parts"] if name not in self.deleted}
        return SimpleNamespace(
            result_rows=[(name, tenant, count) for name, counts in visible.items() for tenant, count in counts.items()]
        )

    def read(self, reader: PartRowsReader) -> Mapping[int, int]:
        return reader.read(cast(Client, self), [TABLE]).get((TABLE, DAY), {})


def test_a_new_part_does_not_count_the_others_again() -> None:
    server, reader = Server({"a": {1: 1_000_000, 2: 10}}), PartRowsReader()
    assert server.read(reader) == {1: 1_000_000, 2: 10}
    server.parts["b"] = {2: 1}
    assert server.read(reader) == {1: 1_000_000, 2: 11}
    assert server.read(reader) == {1: 1_000_000, 2: 11}
    assert server.counted == [["a"], ["b"]]
    assert all(settings["max_execution_time"] for settings in server.settings)


def test_parts_that_are_gone_are_forgotten() -> None:
    server, reader = Server({"a": {1: 5}, "b": {2: 7}}), PartRowsReader()
    server.read(reader)
    server.parts = {"c": {1: 5, 2: 7}}
    assert server.read(reader) == {1: 5, 2: 7}
    server.parts = {}
    assert server.read(reader) == {}


def test_a_merge_between_list_and_count_neither_doubles_nor_loses_rows() -> None:
    server, reader = Server({"old": {3: 1}}), PartRowsReader()
    server.read(reader)
    server.parts |= {"a": {1: 5}, "b": {2: 7}}

    def merge() -> None:
        server.parts = {"old": {3: 1}, "c": {1: 5, 2: 7}}

    server.before_count = merge
    assert server.read(reader) == {1: 5, 2: 7, 3: 1}
    assert [sorted(names) for names in server.counted[1:]] == [["a", "b"], ["c"]]


def test_only_a_mutation_that_deletes_rows_makes_its_part_count_again() -> None:
    server, reader = Server({"a": {1: 5}, "b": {1: 1, 2: 7}}), PartRowsReader()
    server.read(reader)
    server.parts = {"a_1": {1: 5}, "b_1": {2: 7}}
    assert server.read(reader) == {1: 5, 2: 7}
    assert server.counted[1:] == [["b_1"]]


def test_a_mutation_between_list_and_count_loses_no_rows() -> None:
    server, reader = Server({"a": {1: 5}}), PartRowsReader()

    def mutate() -> None:
        server.parts = {"a_1": {1: 5}}

    server.before_count = mutate
    assert server.read(reader) == {1: 5}
    assert server.counted == [["a"], ["a_1"]]


def test_parts_that_are_always_replaced_are_left_out_and_counted_later() -> None:
    server, reader = Server({"old": {3: 1}, "0": {1: 5}}), PartRowsReader()
    versions = iter(range(1, 100))

    def replace() -> None:
        server.parts = {"old": {3: 1}, str(next(versions)): {1: 5}}

    server.before_count = replace
    assert server.read(reader) == {3: 1}
    server.before_count = lambda: None
    assert server.read(reader) == {1: 5, 3: 1}


def test_a_part_whose_rows_are_all_deleted_is_counted_once() -> None:
    server, reader = Server({"a": {1: 5}, "b": {2: 7}}), PartRowsReader()
    server.deleted = {"b"}
    assert server.read(reader) == {1: 5}
    assert server.read(reader) == {1: 5}
    assert len(server.counted) == 1


def test_one_statement_counts_a_large_part_or_a_bounded_number_of_small_ones() -> None:
    small = {f"s{number:03}": {1: 1} for number in range(STEP_PARTS + 1)}
    server = Server(small | {"large": {1: STEP_ROWS, 2: STEP_ROWS}, "half": {1: STEP_ROWS}})
    assert server.read(PartRowsReader()) == {1: 2 * STEP_ROWS + STEP_PARTS + 1, 2: STEP_ROWS}
    assert server.counted == [["large"], ["half"], sorted(small)[:STEP_PARTS], sorted(small)[STEP_PARTS:]]


def test_a_call_after_a_failed_one_continues_with_the_parts_that_are_left() -> None:
    server, reader = Server({"large": {1: STEP_ROWS}, "small": {1: 1}}), PartRowsReader()

    def fail_second() -> None:
        if server.counted:
            raise DatabaseError("TIMEOUT_EXCEEDED")

    server.before_count = fail_second
    with pytest.raises(DatabaseError):
        server.read(reader)
    server.before_count = lambda: None
    assert server.read(reader) == {1: STEP_ROWS + 1}
    assert server.counted == [["large"], ["small"]]
