"""The study's questions, their answers that follow from the corpus, and the form of an answer on all sides."""

import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
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


def nanoseconds(text: str) -> int:
    """Returns the nanoseconds since the Unix epoch of an RFC 3339 time in UTC with at most nine fractional digits."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(seconds).replace(tzinfo=UTC).timestamp())
    return whole * 10**9 + int(fraction.ljust(9, "0"))


def buckets(corpus: PeerCorpus, starts: Sequence[int], counts: Sequence[int | str]) -> Answer:
    """Returns the counts of all buckets of ten minutes, oldest first.

    `starts` (nanoseconds since the Unix epoch) and `counts` are those of the buckets in a side's answer. Other buckets
    are empty.
    """
    found = [0] * corpus.buckets
    for start, count in zip(starts, counts, strict=True):
        found[(start - corpus.start_ns) // BUCKET_NS] += int(count)
    return tuple(found)


def groups(counts: Iterable[int | str]) -> Answer:
    """Returns the counts of all groups, largest first."""
    return tuple(sorted(map(int, counts), reverse=True))
