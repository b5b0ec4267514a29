import os
import subprocess
import sys

from kit.clock import SystemClock
from stack.processes import ProcessIdentity, end, identify, is_running


def test_identity_is_stable_while_the_process_runs() -> None:
    own = identify(os.getpid())
    assert own is not None
    assert identify(os.getpid()) == own
    assert is_running(own)


def test_reused_pid_is_another_process() -> None:
    own = identify(os.getpid())
    assert own is not None
    assert not is_running(ProcessIdentity(pid=own.pid, started="some other start"))


def test_ended_process_has_no_identity_even_before_it_is_reaped() -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert identify(process.pid) is None
    process.communicate()


def test_process_that_ignores_sigterm_is_killed() -> None:
    program = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        identity = identify(process.pid)
        assert identity is not None
        assert end(identity, 0.2, SystemClock())
        assert not is_running(identity)


def test_a_process_that_has_ended_needs_no_signal() -> None:
    assert not end(ProcessIdentity(pid=os.getpid(), started="long ago"), 0.1, SystemClock())
