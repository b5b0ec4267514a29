"""Tests that a journal can be read after a kill, is refused for another study, and begins anew after its removal."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from kit.errors import Conflict
from loadtest.journal import Journal


@dataclass(frozen=True)
class Step:
    name: str
    seconds: tuple[float, ...]


def test_a_killed_study_goes_on_after_its_last_whole_step(tmp_path: Path) -> None:
    file, done = tmp_path / "study" / "journal.jsonl", Step("a", (1.0, 0.5))
    Journal(file, "one", Step).add(done)
    with file.open("a") as cut:
        cut.write('{"name": "b", "sec')

    assert Journal(file, "one", Step).steps == [done]


def test_what_follows_a_line_cut_short_is_read_too(tmp_path: Path) -> None:
    """Tests that a step added after an incomplete line is read."""
    file = tmp_path / "journal.jsonl"
    Journal(file, "one", Step).add(Step("a", ()))
    with file.open("a") as cut:
        cut.write('{"name": "b", "sec')
    Journal(file, "one", Step).add(Step("b", ()))

    assert [step.name for step in Journal(file, "one", Step).steps] == ["a", "b"]


def test_a_journal_of_another_study_is_refused(tmp_path: Path) -> None:
    Journal(tmp_path / "journal.jsonl", "one", Step)
    with pytest.raises(Conflict):
        Journal(tmp_path / "journal.jsonl", "another", Step)


def test_no_step_is_read_after_the_journal_was_removed(tmp_path: Path) -> None:
    file = tmp_path / "journal.jsonl"
    journal = Journal(file, "one", Step)
    journal.add(Step("a", ()))

    journal.remove()

    assert [step.name for step in journal.steps] == ["a"]
    assert Journal(file, "another", Step).steps == []
