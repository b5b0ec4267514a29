"""Tests which mutations count as failing again and again."""

from typing import Any, cast

from clickhouse_connect.driver.client import Client

from ingest.failing_mutations import MAX_FAILING_RUNS, SPACING_SECONDS, FailingMutations

KEY = ("logs_0", "mutation_1.txt")


class Server:
    """Records the ids of the mutations that are ended."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def command(self, _sql: str, parameters: dict[str, Any]) -> None:
        self.ended.append(parameters["id"])


def ended_after(*times: int) -> bool:
    """Returns whether the mutation is ended by runs that see its last failure at these times."""
    server, failing = Server(), FailingMutations()
    for at in times:
        failing.end(cast("Client", server), {KEY: at})
    return bool(server.ended)


FAILURES = [1_000 + number * SPACING_SECONDS for number in range(MAX_FAILING_RUNS)]


def test_a_failure_that_clickhouse_still_shows_counts_once() -> None:
    assert not ended_after(*[1_000] * (10 * MAX_FAILING_RUNS))
    assert not ended_after(*FAILURES[:-1])


def test_failures_of_a_short_time_count_once() -> None:
    assert not ended_after(*range(1_000, 1_000 + SPACING_SECONDS))


def test_new_failures_count_even_with_runs_between_them() -> None:
    assert ended_after(*(at for at in FAILURES for _ in range(3)))


def test_a_mutation_that_succeeded_begins_anew() -> None:
    server, failing = Server(), FailingMutations()
    for at in FAILURES:
        failing.end(cast("Client", server), {KEY: at})
        failing.end(cast("Client", server), {})
    assert server.ended == []
