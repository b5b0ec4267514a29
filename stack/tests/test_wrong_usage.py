"""Wrong usage ends with exit code 2 and a sentence, never with a traceback."""

import sys

import pytest

from stack.cli.entry import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("logs", "search", "-debug"), "logsieve logs search -- '-debug'"),
        (("alert", "save", "x", "-status:200 | stats count()"), "logsieve alert save NAME -- '-status:200 | stats"),
        (("view", "save", "x", "-debug"), "logsieve view save NAME -- '-debug'"),
        (("view", "delete", "-debug"), "No such option: -d "),
        (("logs", "fields", "caf\udce9"), "argument 3 is not valid UTF-8"),
        (("logs", "search", "x", "--url", "localhost:8080", "--key", "k"), "http://127.0.0.1:8080/api/v1"),
        (("logs", "search", "x", "--url", "", "--key", "k"), "http://127.0.0.1:8080/api/v1"),
        (("logs", "search", "x", "--url", "http://", "--key", "k"), "http://127.0.0.1:8080/api/v1"),
        (("logs", "search", "x", "--url", "http://[::1", "--key", "k"), "http://127.0.0.1:8080/api/v1"),
        (("logs", "search", "x", "--url", "http://a:99999", "--key", "k"), "http://127.0.0.1:8080/api/v1"),
        (("alert", "save", "x", "--when", "count() > nan", "--key", "k"), "is not a finite number"),
        (("alert", "save", "x", "--header", "X-Token: t", "--key", "k"), "--header is for requests to URLs"),
        (("alert", "save", "x", "--email", "a@b.example", "--header", "X: t", "--key", "k"), "no URL is given"),
        (("logs", "search", "x", "--order", "up"), "'--order': 'up' is not one of 'asc', 'desc' "),
        (("key", "create", "demo", "read"), "'purpose': 'read' is not one of 'ingest', 'query', 'admin' "),
        (("usage", "--by", "week"), "'--by': 'week' is not one of 'minute', 'hour', 'day' "),
        (("logs", "patterns", "--limit", "500"), "'--limit': '500' must be less than or equal to 200 "),
        (("loadtest", "search", "--rounds", "many"), "'--rounds': 'many' must be a valid integer "),
        (("doctor", "--thread", "HTTPHandler"), "add --profile 30s"),
        (("doctor", "--out", "."), "add --profile 30s"),
        (("doctor", "--profile", "1s", "--compare"), "cannot be combined"),
        (("doctor", "--profile", "2h"), "a profile takes from 1s to 3600s"),
    ],
)
def test_it_says_what_to_give(
    arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    monkeypatch.setattr(sys, "argv", ["logsieve", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert said in printed.err


@pytest.mark.parametrize("key", ["s3cret\nlf", "s3cret\u00e9", "s3cret\x7f"])
def test_a_wrong_key_is_refused_and_not_printed(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["logsieve", "logs", "search", "x", "--url", "http://a.invalid", "--key", key])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    assert "characters that no key has" in printed.err
    assert "s3cret" not in printed.err


def test_it_says_its_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["logsieve", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("logsieve ")


def test_a_wrong_switch_is_shown_with_the_values_that_are_allowed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOGSIEVE_SELF_LOGS", "http://receiver:4318/v1/logs")
    monkeypatch.setattr(sys, "argv", ["logsieve", "settings"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = "LOGSIEVE_SELF_LOGS is 'http://receiver:4318/v1/logs': it must be true or false"
    assert said in capsys.readouterr().err
