"""Tests that no record is lost or doubled when receiver, Kafka, loader and ClickHouse are killed while clients send."""

import json
from pathlib import Path

import pytest

from tests.chance import SEED, repetitions
from tests.running_stack import borrowed_offset, logsieve

KILLS = repetitions(40)
SECONDS = 180 + 60 * KILLS


@pytest.mark.faults
@pytest.mark.timeout(SECONDS + 120)
def test_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    arguments = ("loadtest", "faults", "--kills", str(KILLS), "--seed", str(SEED), "--json")
    with borrowed_offset() as offset:
        done = logsieve(tmp_path / "unused", offset, *arguments, seconds=SECONDS, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    report = json.loads(line)
    assert (report["lost"], report["doubled"], report["foreign"]) == (0, 0, 0), done.stderr
    assert report["passed"] is True
    assert set(report["kills"]) == {"receiver", "kafka", "loader", "clickhouse"}
    assert len(report["recoveries"]) == KILLS
    assert report["acknowledged"] > 1000
    assert list(tmp_path.iterdir()) == [], "the stack's folder was left behind"
