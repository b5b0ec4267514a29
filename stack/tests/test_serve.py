"""The process around the engine, with an engine that only waits."""

import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

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
    end = time.monotonic() + {seconds}
    while time.monotonic() < end and not os.path.exists({ends!r}):
        time.sleep(0.01)
    serve.end(ended, waiting_thread)

serve.run = run
sys.exit(serve.serve(serve.Launch("", "", "", {port}, 1)))
"""


def started(
    seconds: float, *, reads: bool = False, port: int = 1, ends: Path = Path("absent")
) -> subprocess.Popen[str]:
    """Starts a node whose engine ends after `seconds`, or when the file `ends` exists."""
    program = _PROGRAM.format(seconds=seconds, reads=reads, port=port, ends=str(ends))
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


class Engine(ThreadingHTTPServer):
    """Answers the first requests with no killed query. Answers the next one with a query, and creates a file."""

    def __init__(self, before: int, file: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.before = before
        self.file = file
        self.requests = 0


class _Handler(BaseHTTPRequestHandler):
    server: Engine

    def do_POST(self) -> None:
        self.server.requests += 1
        self.send_response(200)
        self.end_headers()
        if self.server.requests > self.server.before:
            self.wfile.write(b"waiting\tid\t\tSELECT sleepEachRow(1)\n")
            self.server.file.touch()

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


def test_a_query_that_runs_shortly_after_the_signal_is_cancelled(tmp_path: Path) -> None:
    with Engine(2, tmp_path / "killed") as engine:
        thread = threading.Thread(target=engine.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            with started(60, port=engine.server_port, ends=engine.file) as process:
                process.terminate()
                assert process.wait(50) == 0
        finally:
            engine.shutdown()
            thread.join()
    assert engine.requests == 3


def test_the_engine_has_no_working_folder_once_it_has_started() -> None:
    with started(20, reads=True) as process:
        assert process.stdout is not None
        shown = process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 0
    assert shown == "no folder\n"
