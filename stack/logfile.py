"""Log files of services. Each service appends to its file, and the supervisor bounds the file's size."""

import errno
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import structlog

LARGEST: Final = 32 * 2**20
"""Size of a log, in bytes, above which it is copied to `<name>.log.1`, in place of the previous copy, and emptied."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)

log = structlog.get_logger()


def open_for_appending(path: Path) -> int:
    """Returns a descriptor for a child process to write to. O_APPEND makes writes follow a truncation of the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def rotate(path: Path, largest: int = LARGEST) -> bool:
    """Copies a log that is larger than `largest` bytes to `.1` and empties it, while its service continues to write.

    Lines written between the copy and the truncation are lost, as with logrotate's copytruncate. Returns true if it
    emptied the log. Raises OSError if the log cannot be copied. If the disk has no room for the copy, the log is
    emptied without one before, because otherwise it would fill the disk.
    """
    if not path.exists() or path.stat().st_size <= largest:
        return False
    copy = path.with_name(path.name + ".1")
    try:
        shutil.copyfile(path, copy)
    except OSError as error:
        if error.errno in _NO_ROOM:
            copy.unlink(missing_ok=True)
            os.truncate(path, 0)
        raise
    os.truncate(path, 0)
    return True


class LogRotation:
    """Rotates the logs of services. Logs an error about a file once, until the file is copied again."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._failing: set[Path] = set()

    def rotate(self, paths: Iterable[Path]) -> None:
        """Rotates each log that is too large, also if another one cannot be rotated."""
        for path in paths:
            try:
                if rotate(path, self._largest):
                    self._failing.discard(path)
            except OSError as error:
                if path not in self._failing:
                    result = "emptied without a copy" if error.errno in _NO_ROOM else "keeps growing"
                    log.error("a log cannot be copied", result=result, file=str(path), reason=str(error))
                self._failing.add(path)


def tail(path: Path, lines: int = 15) -> list[str]:
    """Returns the last lines of a log; empty when there is none."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 65536))
            return file.read().decode(errors="replace").splitlines()[-lines:]
    except FileNotFoundError:
        return []
