"""Runs modules in processes that are forked from a process which has already imported them.

The import takes 1 s of CPU for the command line and 2 s for the loader or the API. The tests run some hundred commands
and more than a hundred other processes. The stack of the tests is not started like this, but by `logsieve up`, as users
do.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_CONTEXT: Final = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["stack.cli", "ingest.loader.main", "backend.main", "backend.alerts.worker"])
_INTERRUPTED_SECONDS: Final = 30.0


class ForkedModule:
    """A process that acts like `python -m MODULE ARGUMENT …`. Its methods are like those of `subprocess.Popen`."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], output: Path, errors: Path | None = None
    ) -> None:
        """Starts the process. Its output is appended to `output`, its errors to `errors`, or to `output` without it."""
        self._command = tuple(map(str, command))
        files = (output, output if errors is None else errors)
        for file in files:
            file.touch(0o600)
        self._process = _CONTEXT.Process(
            target=_run, args=(self._command, dict(environment), [str(file) for file in files]), daemon=True
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Returns the exit code, or None while the process runs. It is negative if a signal ended the process."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        """Waits for the process and returns its exit code. Raises TimeoutExpired if it still runs after `seconds`."""
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self._command, seconds)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal to the process. Does nothing if it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_module(
    command: Sequence[str], environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Runs a module to its end, and returns its exit code and output.

    If it still runs after `seconds`, interrupts it by SIGINT and raises TimeoutExpired.
    """
    with TemporaryDirectory(prefix="logsieve-test-") as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        process = ForkedModule(command, environment, output, errors)
        try:
            code = process.wait(seconds)
        except BaseException:
            process.send_signal(signal.SIGINT)
            process.wait(_INTERRUPTED_SECONDS)
            raise
        return subprocess.CompletedProcess(tuple(command), code, output.read_text(), errors.read_text())


def _run(command: Sequence[str], environment: Mapping[str, str], files: Sequence[str]) -> None:
    """Runs the module in the forked process, with the given environment, arguments and files for its output."""
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, file in enumerate(files, start=1):
        opened = os.open(file, os.O_WRONLY | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    module, *arguments = command
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
