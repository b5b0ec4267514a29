"""A file with the finished steps of a long study, one per line, so that a killed study can continue."""

import os
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from kit.errors import Conflict

Step = TypeVar("Step")


class _Head(BaseModel):
    study: str
    commit: str | None = None


class Journal(Generic[Step]):
    """The steps of one study at one commit of the code. The file of a different study or commit is refused."""

    def __init__(self, file: Path, study: str, commit: str | None, step: type[Step]) -> None:
        """Opens or creates the file.

        `study` is a text of all parameters that influence the results. `commit` is `Bench.commit`. `step` is a
        dataclass or a pydantic model. Raises Conflict if the file has steps of other parameters or another commit.
        """
        self._file = file
        self._step = TypeAdapter(step)
        lines = _whole_lines(file)
        if lines:
            _check(file, _Head.model_validate_json(lines[0]), _Head(study=study, commit=commit))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._append(_Head(study=study, commit=commit).model_dump_json())
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


def _check(file: Path, found: _Head, own: _Head) -> None:
    """Raises Conflict unless the steps of a journal can be continued."""
    if found.study != own.study:
        raise Conflict(
            f"{file} belongs to a study with other parameters or settings: give the same ones to continue, or delete"
            f" the folder {file.parent} to start again without its data"
        )
    if found.commit != own.commit:
        raise Conflict(
            f"{file} has steps of commit {found.commit or 'unknown'}, and this run is of {own.commit or 'unknown'}:"
            f" check out that commit to continue, or delete the folder {file.parent} to start again without its data"
        )


def _whole_lines(file: Path) -> list[bytes]:
    """Returns the complete lines of the file. Removes an incomplete last line, so that its step is repeated."""
    if not file.exists():
        return []
    written = file.read_bytes()
    whole = written[: written.rfind(b"\n") + 1]
    if whole != written:
        os.truncate(file, len(whole))
    return whole.splitlines()
