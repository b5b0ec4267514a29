"""Reads the study's questions from questions.toml, and computes the answers that follow from the corpus."""

import tomllib
from enum import Enum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from loadtest.peers.corpus import BUCKET_NS, PLANTED, PeerCorpus

PAGE: Final = 100
"""Largest number of records on a page."""

Answer = tuple[int, ...]
"""For a page: the records' numbers, newest first. For a count: the records in each ten minutes, oldest first. For
groups: the records of each service that has some, largest first."""


class Kind(Enum):
    """Kinds of questions: a page of the newest records, counts over time, or counts by service."""

    page = "page"
    count = "count"
    group = "group"


class Question(BaseModel):
    """A question, written in the query language of each side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    planted: str | None = None
    """Planted text of the records that match. None if the corpus does not determine which records match."""
    logsieve: str
    victoria_logs: str
    loki: str
    collector: str


class _File(BaseModel):
    question: tuple[Question, ...]


def read_questions() -> tuple[Question, ...]:
    """Returns the questions in the order of questions.toml."""
    file = Path(__file__).with_name("questions.toml")
    return _File.model_validate(tomllib.loads(file.read_text())).question


def known_answer(question: Question, corpus: PeerCorpus) -> Answer | None:
    """Returns the answer that follows from the corpus, or None for a question about text that was not planted."""
    if question.planted is None:
        return None
    every, first = PLANTED[question.planted](corpus.records)
    numbers = range(first, corpus.records, every) if every else range(0)
    if question.kind is Kind.page:
        return tuple(reversed(numbers[-PAGE:]))
    counts = [0] * corpus.buckets
    for number in numbers:
        counts[(corpus.time_ns(number) - corpus.start_ns) // BUCKET_NS] += 1
    return tuple(counts)
