"""Tests that a volume never looks fuller because ClickHouse finishes or removes parts while the volume is measured."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client

from ingest.storage.measure import read_log_volume

TOTAL, LOGS, REWRITTEN = 1_000, 500, 300
STATEMENTS = 5


@dataclass(frozen=True, slots=True)
class State:
    """Bytes of a server while a part of LOGS bytes is rewritten to REWRITTEN bytes.

    `deleting` are bytes of a part whose files are being removed. ClickHouse shows it only if its state is asked for.
    """

    used: int
    unfinished: int = 0
    removing: int = 0
    deleting: int = 0


RUNNING = State(LOGS + REWRITTEN, unfinished=REWRITTEN)
FINISHED = State(LOGS + REWRITTEN, removing=LOGS)
DELETING = State(LOGS // 2 + REWRITTEN, deleting=LOGS)
REMOVED = State(REWRITTEN)


class Server:
    """Server with one disk that is in another state at each statement."""

    def __init__(self, states: tuple[State, ...]) -> None:
        self._states = iter(states)

    def query(self, statement: str) -> SimpleNamespace:
        state = next(self._states)
        rows: list[tuple[object, ...]] = []
        if "system.merges" in statement:
            rows = [(state.unfinished,)]
        elif "system.moves" in statement:
            rows = [(0,)]
        elif "system.parts" in statement:
            rows = [("default", state.removing + ("_state" in statement) * state.deleting)]
        elif statement.startswith("SELECT total_space"):
            rows = [(TOTAL, TOTAL - state.used)]
        return SimpleNamespace(result_rows=rows)


@pytest.mark.parametrize("states", [*combinations_with_replacement((RUNNING, FINISHED, DELETING, REMOVED), STATEMENTS)])
def test_a_part_that_is_rewritten_meanwhile_never_counts_as_more_logs(states: tuple[State, ...]) -> None:
    volume = read_log_volume(cast(Client, Server(states)))
    assert volume.total - volume.free - volume.removing <= LOGS
