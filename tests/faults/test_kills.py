"""Receiver, Kafka, loader and ClickHouse die while clients send, and nothing is lost or doubled."""

import json
from pathlib import Path

import pytest

from tests.running_stack import free_offset, logsieve

SECONDS = 420


@pytest.mark.faults
@pytest.mark.timeout(SECONDS + 30)
def test_five_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    arguments = ("loadtest", "faults", "--kills", "5", "--seed", "1", "--json")
    done = logsieve(tmp_path / "unused", free_offset(), *arguments, seconds=SECONDS, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    [line] = done.stdout.splitlines()
    report = json.loads(line)
    assert (report["lost"], report["doubled"], report["foreign"]) == (0, 0, 0), done.stderr
    assert report["passed"] is True
    assert set(report["kills"]) == {"receiver", "kafka", "loader", "clickhouse"}
    assert len(report["recoveries"]) == 5
    assert report["acknowledged"] > 1000
    assert list(tmp_path.iterdir()) == [], "the stack's folder was left behind"
