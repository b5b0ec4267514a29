"""Runs a ClickHouse server in this process: `python -m stack.clickhouse.serve LIBRARY CONFIG DATA HTTP_PORT TCP_PORT`.

The engine library runs clickhouse-local, whose statement SYSTEM START LISTEN opens the ports of a server. The call of
the library returns when the engine ends. Python runs no signal handler during this call, so the engine runs in a second
thread, and the main thread waits for SIGTERM. Then the main thread cancels the query that keeps the engine running, and
the engine shuts down. Standard library only, so that a node starts within a second.
"""

import ctypes
import http.client
import os
import shutil
import signal
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from stack.clickhouse.merge_priority import lower_merges_once_started

USER: Final = "LOGSIEVE_NODE_USER"
PASSWORD: Final = "LOGSIEVE_NODE_PASSWORD"
_FOREVER: Final = (
    "SELECT sleepEachRow(1) FROM numbers(1000000000000) "
    "SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1, log_queries = 0 FORMAT Null"
)
_CANCEL: Final = "KILL QUERY WHERE user = '' AND query LIKE 'SELECT sleepEachRow(1)%' ASYNC FORMAT TSV"

_AGAIN_SECONDS: Final = 0.1
"""Seconds between two requests to cancel the query."""


class _Result(ctypes.Structure):
    """struct local_result_v2 of chdb.h."""

    _fields_ = (
        ("buf", ctypes.c_char_p),
        ("len", ctypes.c_size_t),
        ("_vec", ctypes.c_void_p),
        ("elapsed", ctypes.c_double),
        ("rows_read", ctypes.c_uint64),
        ("bytes_read", ctypes.c_uint64),
        ("error_message", ctypes.c_char_p),
    )


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments on the command line of the process."""

    library: str
    config_file: str
    data: str
    http_port: int
    tcp_port: int


def serve(launch: Launch) -> int:
    """Runs a node until SIGTERM or SIGINT. Returns the exit code, which is 0 only after one of these signals."""
    wanted: Final = (signal.SIGTERM, signal.SIGINT)
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    ended = threading.Event()
    keyboard = _connect_terminal()
    with _without_working_folder() as pipe:
        engine = threading.Thread(target=run, args=(launch, pipe, ended, threading.get_ident()), daemon=True)
        engine.start()
        lower_merges_once_started()
        # Not sigtimedwait: after SIGSTOP and SIGCONT it may return EINTR after its deadline, and CPython then reports a
        # signal.
        signal.sigwait(wanted)
    if ended.is_set():
        return 1
    # Without this, the engine would read further statements from its terminal.
    os.close(keyboard)
    # After its shutdown, the engine calls abort(). Its handler of SIGABRT would then take five seconds to write a
    # report.
    signal.signal(signal.SIGABRT, signal.SIG_DFL)
    # The port is open shortly before the query runs.
    while engine.is_alive() and not _cancel(launch.http_port):
        engine.join(_AGAIN_SECONDS)
    engine.join()
    return 0


def _connect_terminal() -> int:
    """Opens a new terminal and makes it the standard input of this process. Returns the descriptor of the terminal's
    other end.

    The engine continues after errors of connections only if its standard input is a terminal. Without a terminal, it
    ends when a connection breaks or sends invalid bytes (ClickHouse's issue 115666).
    """
    keyboard, terminal = os.openpty()
    os.dup2(terminal, 0)
    os.close(terminal)
    return keyboard


@contextmanager
def _without_working_folder() -> Iterator[str]:
    """Yields the path of a pipe. Once the engine has read the pipe, this process has no working folder any more.

    The engine's function `file` reads any file for any user, and no grant or setting of the engine forbids it. It looks
    up the working folder first and fails if there is none. The engine needs a working folder while it starts.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        pipe = Path(folder, "started")
        os.mkfifo(pipe)
        os.chdir(folder)
        threading.Thread(target=_remove_when_read, args=(pipe,), daemon=True).start()
        yield str(pipe)


def _remove_when_read(pipe: Path) -> None:
    # Opening the pipe waits for the engine. The engine listens on no port until the pipe is closed.
    with pipe.open("w"):
        shutil.rmtree(pipe.parent)


def run(launch: Launch, pipe: str, ended: threading.Event, waiting_thread: int) -> None:
    """Runs the engine until it ends. Called in the second thread."""
    arguments = [
        "clickhouse",
        f"--config-file={launch.config_file}",
        f"--path={launch.data}",
        f"--http_port={launch.http_port}",
        f"--tcp_port={launch.tcp_port}",
        "--listen_host=127.0.0.1",
        # clickhouse-local takes its log level only from here, and logs at level debug by default.
        "--log-level=information",
        "--multiquery",
        # Without these and a terminal, clickhouse-local ends at the first error of any connection.
        "--interactive",
        "--progress=off",
        "--history_file=/dev/null",
        f"--query=SELECT file('{pipe}') FORMAT Null; SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; {_FOREVER}",
    ]
    try:
        engine = ctypes.CDLL(launch.library)
        engine.query_stable_v2.restype = ctypes.POINTER(_Result)
        encoded = [argument.encode() for argument in arguments]
        result = engine.query_stable_v2(len(encoded), (ctypes.c_char_p * len(encoded))(*encoded))
        if result and result.contents.error_message:
            print(result.contents.error_message.decode(errors="replace"), file=sys.stderr)  # noqa: T201 this is its log
    finally:
        end(ended, waiting_thread)


def end(ended: threading.Event, waiting_thread: int) -> None:
    """Lets the thread that waits for signals know that the engine ended by itself."""
    ended.set()
    signal.pthread_kill(waiting_thread, signal.SIGTERM)


def _cancel(http_port: int) -> bool:
    """Cancels the query that keeps the engine running. Returns whether there is such a query. If the request fails,
    ends the process, which loses no data."""
    headers = {"X-ClickHouse-User": os.environ[USER], "X-ClickHouse-Key": os.environ[PASSWORD]}
    request = urllib.request.Request(f"http://127.0.0.1:{http_port}/", data=_CANCEL.encode(), headers=headers)
    # A proxy of the environment cannot reach this server, and would see the password.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=5) as answer:
            return bool(answer.read())
    except (OSError, http.client.HTTPException) as error:
        print(f"the request to stop the engine failed: {error}", file=sys.stderr)  # noqa: T201
        os._exit(0)


if __name__ == "__main__":
    _library, _config, _data, _http, _tcp = sys.argv[1:]
    sys.exit(serve(Launch(_library, _config, _data, int(_http), int(_tcp))))
