"""Tests of the table that `logsieve policy redactions` prints."""

import pytest

from backend.policies.redaction_repository import RedactionInfo
from stack.cli.redaction import list_redactions


def test_an_expression_is_printed_as_it_was_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = [RedactionInfo("acme", "session", "sid=[a-z]{8}", 0), RedactionInfo(None, "card", None, 0)]
    monkeypatch.setattr("stack.cli.control.call_redactions", lambda _settings, _call: stored)
    list_redactions()
    head, *rows = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["tenant", "name", "expression"]
    assert rows == [["acme", "session", "sid=[a-z]{8}"], ["(all)", "card", "(built", "in)"]]
