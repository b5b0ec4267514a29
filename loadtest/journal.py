"""Steps that a long study has finished, one line each, in a file that survives a kill."""

import os
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from kit.errors import Conflict

Step = TypeVar("Step")


class _Head(BaseModel):
    study: str


class Journal(Generic[Step]):
    """The steps of one study; a file of another study is refused rather than mixed with."""

    def __init__(self, file: Path, study: str, step: type[Step]) -> None:
        """Opens the file. `study` says everything that decides the results; `step` is a dataclass or model.

        Raises Conflict when the file has another study's.
        """
        self._file = file
        self._step = TypeAdapter(step)
        lines = _whole_lines(file)
        if not lines:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._append(_Head(study=study).model_dump_json())
        elif _Head.model_validate_json(lines[0]).study != study:
            raise Conflict(f"{file} belongs to a study of other parameters: move it away, or give the same ones")
        self.steps: list[Step] = [self._step.validate_json(line) for line in lines[1:]]

    def add(self, step: Step) -> None:
        """Adds a step, which is on disk when this returns."""
        self._append(self._step.dump_json(step).decode())
        self.steps.append(step)

    def remove(self) -> None:
        """Deletes the file, so that the next study begins anew: the results are kept elsewhere."""
        self._file.unlink()

    def _append(self, line: str) -> None:
        with self._file.open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


def _whole_lines(file: Path) -> list[bytes]:
    """Cuts off a last line that a kill left without its end: its step is done again."""
    if not file.exists():
        return []
    written = file.read_bytes()
    whole = written[: written.rfind(b"\n") + 1]
    if whole != written:
        os.truncate(file, len(whole))
    return whole.splitlines()
