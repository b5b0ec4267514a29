"""Tests that a journal can be read after a kill, is refused for other parameters and code, and begins anew."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from kit.clock import SystemClock
from kit.errors import Conflict, Unavailable
from loadtest.bench import Bench
from loadtest.journal import Journal
from loadtest.studies import STUDIES

COMMIT = "1bbeee6c0000"


@dataclass(frozen=True)
class Step:
    name: str
    seconds: tuple[float, ...]


def test_a_killed_study_goes_on_after_its_last_whole_step(tmp_path: Path) -> None:
    file, done = tmp_path / "study" / "journal.jsonl", Step("a", (1.0, 0.5))
    Journal(file, "one", COMMIT, Step).add(done)
    with file.open("a") as cut:
        cut.write('{"name": "b", "sec')

    assert Journal(file, "one", COMMIT, Step).steps == [done]


def test_what_follows_a_line_cut_short_is_read_too(tmp_path: Path) -> None:
    """Tests that a step added after an incomplete line is read."""
    file = tmp_path / "journal.jsonl"
    Journal(file, "one", COMMIT, Step).add(Step("a", ()))
    with file.open("a") as cut:
        cut.write('{"name": "b", "sec')
    Journal(file, "one", COMMIT, Step).add(Step("b", ()))

    assert [step.name for step in Journal(file, "one", COMMIT, Step).steps] == ["a", "b"]


def test_a_journal_of_another_study_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.jsonl", "one", COMMIT, Step)
    with pytest.raises(Conflict):
        Journal(tmp_path / "journal.jsonl", "another", COMMIT, Step)


@pytest.mark.parametrize("commit", ["d465b0060000", f"{COMMIT}+", None])
def test_steps_of_another_commit_are_not_continued(tmp_path: Path, commit: str | None) -> None:
    """Tests that one result never has steps that were measured with different code."""
    file = tmp_path / "journal.jsonl"
    Journal(file, "one", COMMIT, Step).add(Step("a", ()))

    with pytest.raises(Conflict, match=f"steps of commit {COMMIT}, .* delete the folder .* to start again"):
        Journal(file, "one", commit, Step)

    assert [step.name for step in Journal(file, "one", COMMIT, Step).steps] == ["a"]


def test_no_step_is_read_after_the_journal_was_removed(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    journal = Journal(file, "one", COMMIT, Step)
    journal.add(Step("a", ()))

    journal.remove()

    assert [step.name for step in journal.steps] == ["a"]
    assert Journal(file, "another", COMMIT, Step).steps == []


@pytest.mark.parametrize("study", ["parts", "tune"])
def test_steps_with_other_settings_of_the_caller_are_not_continued(
    study: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that one result never has steps of stacks with different settings."""

    def stack_in(*_arguments: object, **_options: object) -> None:
        raise Unavailable("nothing is started here")

    monkeypatch.setattr(Bench, "stack_in", stack_in)
    bench = Bench(SystemClock(), print, 1, lambda: 0, tmp_path, COMMIT, "2 cores")
    for _ in range(2):
        with pytest.raises(Unavailable):
            STUDIES[study].run(bench, smoke=True)

    monkeypatch.setenv("LOGSIEVE_LANES", "8")
    with pytest.raises(Conflict, match="belongs to a study with other parameters"):
        STUDIES[study].run(bench, smoke=True)
