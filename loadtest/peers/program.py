"""A peer's process: started from a program that the caller names, on free ports of loopback, in a folder of its own."""

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
"""Bytes of a program's log that an error shows."""


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[int]:
    """Starts a program in `folder`, gives its pid, and ends it after the block. Its output goes to program.log there.

    Raises Internal when the block fails because the program has ended.
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
    """Waits until `ready` raises no error of ours. Raises Unavailable when that takes too long."""
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
    """Returns a configuration file of this folder with its `${…}` replaced."""
    return Template(Path(__file__).with_name(name).read_text()).substitute(values)


def version(program: Path, *arguments: str) -> str:
    """Returns what a program says of its version, without the name before it. Raises Internal when it says nothing."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=_STOP_SECONDS, check=False)
    said = (done.stdout or done.stderr).strip()
    if not said:
        raise Internal(f"{program.name} {' '.join(arguments)} says nothing")
    return said.splitlines()[0]


def disk_bytes(folder: Path) -> int:
    """Returns the bytes that the files below a folder take on the disk."""
    return sum(512 * each.stat().st_blocks for each in folder.rglob("*") if each.is_file())


def _last_words(folder: Path) -> str:
    return (folder / "program.log").read_bytes()[-_LAST_WORDS:].decode(errors="replace").strip()
