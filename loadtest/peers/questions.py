"""The questions of the study, read from questions.toml, and the answers that are known without asking."""

import tomllib
from enum import Enum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from loadtest.peers.corpus import BUCKET_NS, PLANTED, PeerCorpus

PAGE: Final = 100
"""Records on a page."""

Answer = tuple[int, ...]
"""Numbers of the records on a page, newest first; or counts by ten minutes, from the oldest to the newest."""


class Kind(Enum):
    """A question asks for a page of the newest records, or for counts over time."""

    page = "page"
    count = "count"


class Question(BaseModel):
    """A question in the language of each side, by the names that the sides have in questions.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    planted: str | None = None
    """Planted text whose records are the answer; None where the corpus does not say which records match."""
    logsieve: str
    victoria_logs: str
    loki: str
    collector: str


class _File(BaseModel):
    question: tuple[Question, ...]


def read_questions() -> tuple[Question, ...]:
    """Returns the questions in the order of the file."""
    file = Path(__file__).with_name("questions.toml")
    return _File.model_validate(tomllib.loads(file.read_text())).question


def known_answer(question: Question, corpus: PeerCorpus) -> Answer | None:
    """Returns the answer that follows from the corpus; None for a question about text that was not planted."""
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
