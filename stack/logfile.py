"""Log files of services. Each service appends to its file, and the supervisor bounds the file's size."""

import os
import shutil
from pathlib import Path
from typing import Final

LARGEST: Final = 32 * 2**20
"""Size of a log, in bytes, above which it is copied to `<name>.log.1`, in place of the previous copy, and emptied."""


def open_for_appending(path: Path) -> int:
    """Returns a descriptor for a child process to write to. O_APPEND makes writes follow a truncation of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def rotate(path: Path, largest: int = LARGEST) -> bool:
    """Copies a log that is larger than `largest` bytes to `.1` and empties it, while its service continues to write.

    Lines written between the copy and the truncation are lost, as with logrotate's copytruncate. Returns true if it
    emptied the log.
    """
    if not path.exists() or path.stat().st_size <= largest:
        return False
    shutil.copyfile(path, path.with_name(path.name + ".1"))
    os.truncate(path, 0)
    return True


def tail(path: Path, lines: int = 15) -> list[str]:
    """Returns the last lines of a log; empty when there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 65536))
            return file.read().decode(errors="replace").splitlines()[-lines:]
    except FileNotFoundError:
        return []
