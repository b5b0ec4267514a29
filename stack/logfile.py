"""Log files of services: appended to by the service itself, kept from growing for ever by the supervisor."""

import os
import shutil
from pathlib import Path
from typing import Final

LARGEST: Final = 32 * 2**20
"""Bytes after which a log is moved to `<name>.log.1`, which replaces the one before."""


def open_for_appending(path: Path) -> int:
    """Returns a descriptor a child process may write to; O_APPEND, so that truncating the file moves its end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def rotate(path: Path, largest: int = LARGEST) -> bool:
    """Copies a log that is too large to `.1` and empties it, while its service goes on writing.

    Lines written between the copy and the cut are lost, as with logrotate's copytruncate.
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
