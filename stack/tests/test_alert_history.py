"""Tests the table of changes of state that `logsieve alert history` prints."""

import pytest

from stack.cli.alert_rules import show_alert_history
from stack.client import saved_alerts


def test_whole_values_have_all_their_digits(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    event: dict[str, object] = {"at": "2026-11-30", "group": None, "before": "ok", "after": "firing", "detail": ""}
    events = [event | {"value": value} for value in (1_000_001.0, 2 / 3, None)]
    monkeypatch.setattr(saved_alerts, "read_history", lambda *_: {"events": events, "notices": []})

    show_alert_history("Errors", "http://api.invalid", "key")

    lines = capsys.readouterr().out.splitlines()[1:4]
    assert [line.split()[3:] for line in lines] == [["1000001"], ["0.666667"], []]
