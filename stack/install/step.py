"""A step of the installation. A step is skipped while its inputs have not changed since it last succeeded."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from kit.folders import PACKAGES
from stack.runtime import LOGS, RUNTIME


class StepFailed(Exception):
    """A step failed. Its log has the reason."""


@dataclass(frozen=True)
class Step:
    """One thing to install. `key` is a hash of its inputs, `present` says whether its result exists."""

    name: str
    key: Callable[[], str]
    present: Callable[[], bool]
    install: Callable[[TextIO], None]
    after: str | None = None
    """The step that must be done before, if any."""
    programs: tuple[str, ...] = ()
    """Programs of `stack.install.prerequisites` that the installation runs."""
    replaces: str | None = None
    """Name of the step whose result this step overwrites. Its stamp is removed unless both have the same inputs."""

    @property
    def log_file(self) -> Path:
        return LOGS / f"{self.name}.log"

    @property
    def stamp_file(self) -> Path:
        return RUNTIME / "stamps" / self.name

    def is_done(self) -> bool:
        """Returns true if the step's result exists and was made from the current inputs."""
        return self.stamp_file.exists() and self.stamp_file.read_text() == self.key() and self.present()

    def run(self) -> None:
        """Runs the step and remembers its inputs. Raises StepFailed."""
        key = self.key()
        self.stamp_file.unlink(missing_ok=True)
        self._undo_replaced(key)
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("w") as log:
            self.install(log)
        if not self.present():
            raise StepFailed("the command succeeded, but its result is missing")
        self.stamp_file.parent.mkdir(parents=True, exist_ok=True)
        self.stamp_file.write_text(key)

    def _undo_replaced(self, key: str) -> None:
        if self.replaces is not None:
            stamp = self.stamp_file.with_name(self.replaces)
            if stamp.exists() and stamp.read_text() != key:
                stamp.unlink()


def call(log: TextIO, command: Sequence[str], cwd: Path = PACKAGES, **environment: str) -> None:
    """Runs a command with its output in the log. Raises StepFailed if it fails."""
    inherited = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    done = subprocess.run(
        command,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        env={**inherited, **environment},
        check=False,
    )
    if done.returncode != 0:
        raise StepFailed(f"`{' '.join(command[:3])} …` ended with exit code {done.returncode}")


def content_key(files: Iterable[Path], **facts: object) -> str:
    """Returns a hash of the files' paths and contents, and of `facts`, the other inputs of a result."""
    digest = hashlib.sha256(repr((sys.version_info[:2], sorted(facts.items()))).encode())
    for file in sorted(files):
        if file.is_file():
            digest.update(f"\0{file.relative_to(PACKAGES)}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def tree(root: Path, without: frozenset[str]) -> list[Path]:
    """Returns all files under a folder, leaving out folders of these names."""
    files: list[Path] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in without]
        files.extend(Path(folder) / name for name in names)
    return files
