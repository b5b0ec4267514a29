"""What a run has found out already, in a file that survives its death: one line a finished step, never rewritten."""

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from kit.errors import Conflict


class CaseResult(BaseModel):
    """One search: seconds and bytes as ClickHouse's query_log has them."""

    model_config = ConfigDict(frozen=True)

    case: str
    seconds: float
    memory: int
    rows_read: int
    bytes_read: int
    granules: int
    found: int


class Step(BaseModel):
    """A candidate in one round; `error` where it could not be measured, and then nothing else is."""

    model_config = ConfigDict(frozen=True)

    round: int
    candidate: str
    error: str | None = None
    build_seconds: float = 0.0
    index_bytes: int = 0
    table_bytes: int = 0
    raw_bytes: int = 0
    insert_cpu: float = 0.0
    merge_cpu: float = 0.0
    write_rows: int = 0
    cases: tuple[CaseResult, ...] = ()


class _Head(BaseModel):
    study: str


class Journal:
    """The steps of one study; a file of another study is refused rather than mixed with."""

    def __init__(self, file: Path, study: str) -> None:
        """`study` says everything that decides the results. Raises Conflict when the file has another one's."""
        self._file = file
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            self._append(_Head(study=study))
        lines = file.read_text().splitlines()
        if _Head.model_validate_json(lines[0]).study != study:
            raise Conflict(f"{file} belongs to a study of other parameters: move it away, or give the same ones")
        self.steps = list(_steps(lines[1:]))

    def done(self, number: int, candidate: str) -> bool:
        """Whether this round has the candidate already."""
        return any(step.round == number and step.candidate == candidate for step in self.steps)

    def add(self, step: Step) -> None:
        """On disk when this returns."""
        self._append(step)
        self.steps.append(step)

    def _append(self, line: BaseModel) -> None:
        with self._file.open("a") as file:
            file.write(line.model_dump_json() + "\n")
            file.flush()
            os.fsync(file.fileno())


def _steps(lines: list[str]) -> Iterator[Step]:
    """A last line that a kill cut short is left out: its step is done again."""
    for number, line in enumerate(lines):
        try:
            yield Step.model_validate_json(line)
        except ValidationError:
            if number + 1 < len(lines):
                raise
