"""Runs the program of a peer in a separate folder, on free ports of loopback."""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import Final

from kit.errors import Internal, LogsieveError, Unavailable

_READY_SECONDS: Final = 120.0
_STOP_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.25
_LAST_WORDS: Final = 2_000
"""Bytes from the end of a program's log that an error shows."""


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[int]:
    """Starts a program in `folder`, yields its pid, and ends it after the block. program.log there has its output.

    If Logsieve's code fails within the block after the program has ended, raises Internal with the end of that log.
    """
    with (folder / "program.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield process.pid
    except LogsieveError as error:
        if process.poll() is None:
            raise
        raise Internal(f"{Path(command[0]).name} ended: {_last_words(folder)}") from error
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until_ready(ready: Callable[[], object]) -> None:
    """Repeats `ready` until it raises no LogsieveError. Raises Unavailable if it still does after `_READY_SECONDS`."""
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        try:
            ready()
        except LogsieveError as error:
            if time.monotonic() > deadline:
                raise Unavailable(f"not ready after {_READY_SECONDS:g} s: {error.detail}") from error
            time.sleep(_POLL_SECONDS)
        else:
            return


def configured(name: str, values: Mapping[str, object]) -> str:
    """Returns the text of a configuration file beside this module, with each `${name}` replaced from `values`."""
    return Template(Path(__file__).with_name(name).read_text()).substitute(values)


def version(program: Path, *arguments: str) -> str:
    """Returns the first line that a program prints about its version. Raises Internal if it prints nothing."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=_STOP_SECONDS, check=False)
    said = (done.stdout or done.stderr).strip()
    if not said:
        raise Internal(f"{program.name} {' '.join(arguments)} says nothing")
    return said.splitlines()[0]


def disk_bytes(folder: Path) -> int:
    """Returns the bytes of disk space that all files below a folder take."""
    return sum(512 * each.stat().st_blocks for each in folder.rglob("*") if each.is_file())


def _last_words(folder: Path) -> str:
    return (folder / "program.log").read_bytes()[-_LAST_WORDS:].decode(errors="replace").strip()
