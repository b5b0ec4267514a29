"""Tests that every load test is a study of the report, that steps of a study are kept until its result is written, and
that the command that a result names repeats its measurement."""

import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from kit.errors import Conflict
from loadtest.bench import Bench
from loadtest.own_stack import applying
from loadtest.send.study import SendReport
from loadtest.studies import STUDIES
from loadtest.study import Study
from stack.cli import loadtest
from stack.cli.commands import application
from stack.cli.loadtest_group import LoadtestGroup
from stack.cli.loadtest_origin import requested
from stack.cli.loadtest_report import report

SENT = SendReport(profile="smoke", acknowledged=1, refused=0, uncertain=0, stored=1, p50=1, p99=1, behind=0, missed=())


def group() -> LoadtestGroup:
    found = typer.main.get_command(application()).commands["loadtest"]  # type: ignore[attr-defined]
    assert isinstance(found, LoadtestGroup)
    return found


def test_every_load_test_has_a_row_in_the_report() -> None:
    assert set(STUDIES) == group().commands.keys() - {"report"}


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_the_smoke_run_of_a_study_is_one_that_its_command_takes(study: Study) -> None:
    group().commands[study.name].make_context(study.name, [*study.smoke])


@pytest.fixture
def handlers() -> Iterator[None]:
    """Restores afterwards what a study's process never restores: the handlers of its signals, and a level of logs."""
    logger = logging.getLogger("clickhouse_connect")
    level, before = logger.level, {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    yield
    logger.setLevel(level)
    for each, handler in before.items():
        signal.signal(each, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_a_study_that_is_ended_or_loses_its_terminal_stops_its_stack(
    ending: signal.Signals,
) -> None:
    stopped: list[bool] = []

    def run(_bench: Bench) -> SendReport:
        try:
            signal.raise_signal(ending)
            raise AssertionError("the study goes on")
        finally:
            stopped.append(True)

    signal.signal(ending, lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        loadtest.run_study(Study("send", "Sending", SendReport, run, smoke=()), {}, seed=1, write=None, as_json=True)

    assert stopped


@pytest.mark.usefixtures("handlers")
def test_a_study_under_nohup_outlives_its_terminal() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

    with loadtest._telling(as_json=False):
        signal.raise_signal(signal.SIGHUP)


@pytest.mark.usefixtures("handlers")
def test_a_line_of_progress_may_contain_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    with loadtest._telling(as_json=False) as say:
        say("query [/x] of [bold]")

    assert "query [/x] of [bold]" in capsys.readouterr().err


@pytest.mark.usefixtures("handlers")
def test_a_run_ends_after_its_result_was_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    happened: list[str] = []

    def run(bench: Bench) -> SendReport:
        bench.after_result.append(lambda: happened.append("ended"))
        return SENT

    monkeypatch.setattr(loadtest, "record", lambda *_: happened.append("written"))
    study = Study("send", "Sending", SendReport, run, smoke=())
    loadtest.run_study(study, {}, seed=1, write=tmp_path, as_json=True)

    assert happened == ["written", "ended"]


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize("as_json", [False, True])
def test_a_result_that_cannot_be_stored_is_printed(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuse(*_arguments: object) -> None:
        raise Conflict("the folder has the result of a larger run")

    monkeypatch.setattr(loadtest, "record", refuse)
    study = Study("send", "Sending", SendReport, lambda _bench: SENT, smoke=())
    with pytest.raises(Conflict):
        loadtest.run_study(study, {}, seed=1, write=tmp_path, as_json=as_json)

    [line] = capsys.readouterr().out.splitlines()
    assert SendReport.model_validate_json(line) == SENT


def test_a_line_is_stored_with_the_settings_that_its_command_had(tmp_path: Path) -> None:
    """Tests that the page of a result that was measured elsewhere shows its settings, as typed or as printed before."""
    line, command = tmp_path / "line", "LOGSIEVE_LANES=8 logsieve loadtest send --profile smoke"
    line.write_text(SENT.model_dump_json())

    report(tmp_path, line, f"LOGSIEVE_HOME=/tmp/x {command} --json", None)

    assert f"`{command}`, " in (tmp_path / "send.md").read_text()


def test_places_of_this_machine_are_not_part_of_the_command() -> None:
    typed = [
        "loadtest",
        "corpus",
        "--real",
        "/srv/lines",
        "--loki=/srv/loki",
        "--home=/tmp/x",
        "--write",
        "docs/benchmarks",
        "--seed",
        "2",
        "--json",
    ]

    assert requested(typed) == "logsieve loadtest corpus --real FOLDER --loki PROGRAM --seed 2"


def test_settings_that_change_numbers_are_and_secrets_are_not() -> None:
    environment = {
        "LOGSIEVE_LOADER_BATCH_SECONDS": "1.0",
        "LOGSIEVE_HOME": "/tmp/x",
        "LOGSIEVE_CLICKHOUSE_PASSWORD": "s3cret",
        "LOGSIEVE_LOGHUB": "/srv/lines",
    }

    assert applying(environment) == ["LOGSIEVE_LOADER_BATCH_SECONDS=1.0"]
