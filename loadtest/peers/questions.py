"""The study's questions, their answers that follow from the corpus, and the form of an answer on all sides."""

import tomllib
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from loadtest.peers.corpus import BUCKET_NS, BUCKETS, PeerCorpus

PAGE: Final = 100
"""Largest number of records on a page."""

Answer = tuple[int, ...]
"""For a page: the records' numbers, newest first. For a count: the number of records in each ten minutes, oldest
first. For groups: the number of records of each service with any, largest first."""


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


def read_questions() -> tuple[Question, ...]:
    """Returns the questions in the order of questions.toml."""
    file = tomllib.loads(Path(__file__).with_name("questions.toml").read_text())
    return tuple(Question.model_validate(each) for each in file["question"])


def known_answer(question: Question, corpus: PeerCorpus) -> Answer | None:
    """Returns the answer that follows from the corpus, or None for a question about text that was not planted."""
    if question.planted is None:
        return None
    numbers = corpus.planted[question.planted]
    if question.kind is Kind.page:
        return tuple(reversed(numbers[-PAGE:]))
    return buckets(corpus, ((corpus.time_ns(number), 1) for number in numbers))


def buckets(corpus: PeerCorpus, counts: Iterable[tuple[int, int | str]]) -> Answer:
    """Returns the counts of all buckets of ten minutes, oldest first.

    `counts` has a time in a bucket, in nanoseconds since the Unix epoch, and a number of records at that time. Buckets
    without one are empty.
    """
    found = [0] * BUCKETS
    for time_ns, count in counts:
        found[(time_ns - corpus.start_ns) // BUCKET_NS] += int(count)
    return tuple(found)


def groups(counts: Iterable[int | str]) -> Answer:
    """Returns the counts of all groups, largest first."""
    return tuple(sorted(map(int, counts), reverse=True))
