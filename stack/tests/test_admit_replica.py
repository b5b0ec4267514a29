"""Tests that `logsieve replica admit` says what to do if the replica lacks logs."""

import pytest
import typer

from stack.cli.replica import admit_replica
from stack.doctor import compare
from stack.doctor.finding import Finding, Level


def test_a_refusal_says_what_to_do(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LOGSIEVE_CLICKHOUSE_URL", "http://a:1|http://b:1")
    findings = [
        Finding("shard 0", Level.ok, "4 rows"),
        Finding("replicas", Level.fail, "replica 1 lacks rows", "start loaders"),
    ]
    monkeypatch.setattr(compare, "compare_replicas", lambda _: findings)
    with pytest.raises(typer.Exit) as ended:
        admit_replica(1)
    assert ended.value.exit_code == 1
    assert capsys.readouterr().out == "shard 0: 4 rows\nreplicas: replica 1 lacks rows: start loaders\n"
