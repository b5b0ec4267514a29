"""Tests that a run over several servers continues after a failure, and that loops of loaders count their failures."""

from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from ingest.erasure.periodic import Erasing
from ingest.first_failure import FirstFailure
from ingest.lanes.periodic import Lanes
from ingest.minute_counts.periodic import MinuteCounts
from ingest.retention.periodic import Retention
from ingest.storage.periodic import Storage
from ingest.tiering.periodic import Tiering
from ingest.word_index.periodic import SearchedWords
from kit.clock import Clock, SystemClock
from kit.errors import Internal, LogsieveError, Unavailable
from kit.repeating import Repeating
from kit.settings import Settings

NOWHERE = "http://127.0.0.1:1"


def test_a_run_continues_after_a_failure_and_raises_the_first_one() -> None:
    failures, done = FirstFailure(), list[int]()
    for shard, error in enumerate((None, Unavailable("first"), Internal("second"), None)):
        with failures.kept(shard):
            if error is not None:
                raise error
            done.append(shard)
    assert done == [0, 3]
    with pytest.raises(Unavailable, match="first"):
        failures.raise_kept()


def test_a_run_without_a_failure_raises_none_and_an_unexpected_error_is_not_kept() -> None:
    failures = FirstFailure()
    with pytest.raises(ValueError, match="a bug"), failures.kept(0):
        raise ValueError("a bug")
    failures.raise_kept()


@pytest.mark.parametrize(
    "loop_of",
    [
        *(lambda settings, each=each: each(settings, SystemClock()) for each in (Erasing, Lanes, Retention, Storage)),
        lambda settings: Tiering(settings, SystemClock()),
        SearchedWords,
        MinuteCounts,
    ],
)
def test_a_run_of_a_loop_fails_without_the_servers_that_it_needs(
    loop_of: Callable[[Settings], Repeating], tmp_path: Path
) -> None:
    """Tests the error that Repeating counts, so that operators are told about the loop."""
    settings = Settings(
        home=tmp_path, clickhouse_url=NOWHERE, control_url=f"sqlite+aiosqlite:///{tmp_path / 'absent' / 'control.db'}"
    )
    with pytest.raises(LogsieveError):
        loop_of(settings).run_once()


@pytest.mark.parametrize("loop_of", [Retention, Tiering])
def test_each_server_that_fails_is_logged(loop_of: Callable[[Settings, Clock], Repeating], control_home: Path) -> None:
    settings = Settings(home=control_home, clickhouse_url=f"{NOWHERE},http://127.0.0.1:2")
    with capture_logs() as logged, pytest.raises(Unavailable):
        loop_of(settings, SystemClock()).run_once()
    assert [each["shard"] for each in logged if each["event"] == "a run failed on one shard"] == [0, 1]
