"""Writes files so that they have either the old or the new text, even if the process is killed."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_IMODE


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Replaces a file by a fully written one with these permissions. Makes its folder if necessary."""
    with _written(path, text, mode) as new:
        new.replace(path)


def create_once(path: Path, text: str, mode: int) -> None:
    """Creates a fully written file unless it exists. If several processes do so concurrently, the first one wins."""
    with _written(path, text, mode) as new:
        try:
            path.hardlink_to(new)
        except FileExistsError:
            return


@contextmanager
def restored_on_error(path: Path) -> Iterator[None]:
    """If the block raises, restores the text and the permissions of a file, or removes a file that did not exist."""
    before = (path.read_text(), S_IMODE(path.stat().st_mode)) if path.exists() else None
    try:
        yield
    except BaseException:
        if before is None:
            path.unlink(missing_ok=True)
        else:
            write_atomically(path, *before)
        raise


@contextmanager
def _written(path: Path, text: str, mode: int) -> Iterator[Path]:
    """Yields a temporary file beside `path`, synced to disk. Removes it at the end unless it was moved."""
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
