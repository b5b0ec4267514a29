"""Files that are either the old or the new text, whenever the process is killed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Replace a file by a fully written one with these permissions, making its folder."""
    with _written(path, text, mode) as new:
        new.replace(path)


def create_once(path: Path, text: str, mode: int) -> None:
    """Make the file fully written, unless there is one: of several that do so at once, the first wins."""
    with _written(path, text, mode) as new:
        try:
            path.hardlink_to(new)
        except FileExistsError:
            return


@contextmanager
def _written(path: Path, text: str, mode: int) -> Iterator[Path]:
    """A file of its own beside `path`, on disk; removed at the end unless it was moved."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            os.fchmod(file.fileno(), mode)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
