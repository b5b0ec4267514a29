"""The process around the engine, with an engine that only waits."""

import os
import signal
import subprocess
import sys
import time

import pytest

from stack.clickhouse.serve import PASSWORD, USER

_PROGRAM = """
import os
import sys
import time
from stack.clickhouse import serve

def run(launch, pipe, ended, waiting_thread):
    print("runs", flush=True)
    if {reads}:
        open(pipe).read()
        try:
            os.getcwd()
        except FileNotFoundError:
            print("no folder", flush=True)
    time.sleep({seconds})
    serve.end(ended, waiting_thread)

serve.run = run
sys.exit(serve.serve(serve.Launch("", "", "", 1, 1)))
"""


def started(seconds: float, *, reads: bool = False) -> subprocess.Popen[str]:
    program = _PROGRAM.format(seconds=seconds, reads=reads)
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, USER: "nobody", PASSWORD: "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "runs\n"
    return process


def test_a_pause_does_not_end_it_and_a_signal_does() -> None:
    with started(60) as process:
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGCONT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.terminate()
        assert process.wait(10) == 0


def test_it_fails_when_the_engine_ends_by_itself() -> None:
    with started(0.1) as process:
        assert process.wait(10) == 1


def test_the_engine_has_no_working_folder_once_it_has_started() -> None:
    with started(20, reads=True) as process:
        assert process.stdout is not None
        shown = process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 0
    assert shown == "no folder\n"
