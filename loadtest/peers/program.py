"""Runs the program of a peer in a separate folder, on free ports of loopback."""

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import Final

from kit.errors import Internal, LogsieveError
from loadtest.waiting import WAIT_SECONDS, wait_until_succeeds

_STOP_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.25
_LAST_BYTES: Final = 2_000
"""Bytes from the end of a program's log that an error shows."""


@contextmanager
def running(command: Sequence[str], folder: Path, ask: Callable[[], object]) -> Iterator[int]:
    """Starts a program in `folder`, yields its pid once it answers, and ends it after the block.

    It answers when `ask` raises no LogsieveError. Its output is in program.log. If Logsieve's code fails within the
    block after the program has ended, raises Internal with the end of that log. Raises Unavailable if the program does
    not answer after WAIT_SECONDS.
    """
    with (folder / "program.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_succeeds(ask, WAIT_SECONDS, "it was not ready", _POLL_SECONDS)
        yield process.pid
    except LogsieveError as error:
        if process.poll() is None:
            raise
        log_end = (folder / "program.log").read_bytes()[-_LAST_BYTES:].decode(errors="replace").strip()
        raise Internal(f"{Path(command[0]).name} ended: {log_end}") from error
    finally:
        process.terminate()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def configured(name: str, folder: Path, values: Mapping[str, object]) -> str:
    """Writes a configuration file into `folder`, and returns its path. Only this user may read it.

    The file of that name beside this module is its template, in which each `${name}` is replaced from `values`.
    """
    file = folder / name
    file.touch(mode=0o600)
    file.write_text(Template(Path(__file__).with_name(name).read_text()).substitute(values))
    return str(file)


def version(program: Path, flag: str) -> str:
    """Returns the first line that a program prints about its version. Raises Internal if it prints nothing."""
    done = subprocess.run([program, flag], capture_output=True, text=True, timeout=_STOP_SECONDS, check=False)
    said = (done.stdout or done.stderr).strip()
    if not said:
        raise Internal(f"`{program.name} {flag}` printed no version")
    return said.splitlines()[0]


def disk_bytes(folder: Path) -> int:
    """Returns the bytes of disk space that all files below a folder take."""
    return sum(512 * each.stat().st_blocks for each in folder.rglob("*") if each.is_file())
