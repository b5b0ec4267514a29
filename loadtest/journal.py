"""A file with the finished steps of a long study, one per line, so that a killed study can continue."""

import os
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from kit.errors import Conflict

Step = TypeVar("Step")


class _Head(BaseModel):
    study: str


class Journal(Generic[Step]):
    """The steps of one study. The file of a different study is refused."""

    def __init__(self, file: Path, study: str, step: type[Step]) -> None:
        """Opens or creates the file.

        `study` is a text of all parameters that influence the results. `step` is a dataclass or a pydantic model.
        Raises Conflict if the file has the steps of a study with other parameters.
        """
        self._file = file
        self._step = TypeAdapter(step)
        lines = _whole_lines(file)
        if not lines:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._append(_Head(study=study).model_dump_json())
        elif _Head.model_validate_json(lines[0]).study != study:
            raise Conflict(f"{file} belongs to a study of other parameters: rename it, or give the same ones")
        self.steps: list[Step] = [self._step.validate_json(line) for line in lines[1:]]

    def add(self, step: Step) -> None:
        """Appends a step to the file. The step is on disk when this method returns."""
        self._append(self._step.dump_json(step).decode())
        self.steps.append(step)

    def remove(self) -> None:
        """Deletes the file, so that the next study starts from the beginning."""
        self._file.unlink()

    def _append(self, line: str) -> None:
        with self._file.open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


def _whole_lines(file: Path) -> list[bytes]:
    """Returns the complete lines of the file. Removes an incomplete last line, so that its step is repeated."""
    if not file.exists():
        return []
    written = file.read_bytes()
    whole = written[: written.rfind(b"\n") + 1]
    if whole != written:
        os.truncate(file, len(whole))
    return whole.splitlines()
