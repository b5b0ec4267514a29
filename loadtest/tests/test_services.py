"""Tests that only processes of a stack, as its state file names them, are measured and signalled."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.clock import SystemClock
from kit.errors import Internal, Unavailable
from loadtest.services import PIPELINE, CpuSample, Services


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def services(home: Path, supervisor: int, loader: int | None) -> Services:
    process = None if loader is None else {"pid": loader, "started": "x"}
    every = [{"name": "loader", "phase": "ready", "process": process}]
    (home / "stack.json").write_text(json.dumps({"supervisor": {"pid": supervisor}, "services": every}))
    return Services(home)


def test_a_child_of_the_supervisor_is_signalled(tmp_path: Path, child: subprocess.Popen[bytes]) -> None:
    stack = services(tmp_path, os.getpid(), child.pid)

    with stack.stopped("loader") as process:
        assert process.pid == child.pid
        assert os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT) is not None
    assert os.waitid(os.P_PID, child.pid, os.WCONTINUED | os.WNOWAIT) is not None
    with stack.stopped("loader"):
        assert stack.kill("loader")

    assert child.wait(timeout=10) == -signal.SIGKILL
    assert not stack.kill("loader")


def test_a_pid_that_became_somebody_elses_is_not(tmp_path: Path, child: subprocess.Popen[bytes]) -> None:
    """Tests that a process with the service's pid but another parent is not signalled."""
    stack = services(tmp_path, supervisor=1, loader=child.pid)
    with pytest.raises(Unavailable, match="another process"):
        stack.process("loader")
    assert not stack.kill("loader")
    assert child.poll() is None


def test_between_two_lives_there_is_nobody(tmp_path: Path) -> None:
    """Tests that a service without a living process cannot be signalled."""
    for pid in (None, 2**22 - 1):
        with pytest.raises(Unavailable):
            services(tmp_path, os.getpid(), pid).process("loader")


def test_neither_the_killed_process_nor_none_is_the_next_one(tmp_path: Path) -> None:
    for killed_or_none in (7, None):
        with pytest.raises(Unavailable, match="loader was not started again"):
            services(tmp_path, 1, killed_or_none).wait_for_next_process("loader", 7, SystemClock(), 0)

    services(tmp_path, 1, 8).wait_for_next_process("loader", 7, SystemClock(), 0)


def test_the_pipeline_has_all_brokers_nodes_and_loaders(tmp_path: Path) -> None:
    """Tests that further brokers, ClickHouse nodes and loaders count, because records pass them too."""
    names = [
        "clickhouse",
        "clickhouse-1",
        "kafka",
        "kafka-2",
        "kafka-3",
        "migrate",
        "receiver",
        "loader",
        "loader-1",
        "api",
    ]

    def write(phases: dict[str, str]) -> Services:
        every = [{"name": name, "phase": phases.get(name, "ready"), "process": None} for name in names]
        (tmp_path / "stack.json").write_text(json.dumps({"supervisor": {"pid": 1}, "services": every}))
        return Services(tmp_path)

    assert write({}).pipeline() == (*PIPELINE, "clickhouse-1", "kafka-2", "kafka-3", "loader-1")
    assert write({"migrate": "done", "api": "starting"}).ready()
    assert not write({"kafka-3": "starting"}).ready()


def test_cpu_is_the_difference_of_two_samples_of_the_same_processes(tmp_path: Path) -> None:
    before = CpuSample({"loader": 5, "kafka": 6}, {"loader": 1.0, "kafka": 2.0})
    after = CpuSample({"loader": 5, "kafka": 6}, {"loader": 1.5, "kafka": 2.0})
    assert after.since(before) == {"loader": 0.5, "kafka": 0.0}
    with pytest.raises(Internal, match="ended during"):
        CpuSample({"loader": 7, "kafka": 6}, after.seconds).since(before)
    sample = services(tmp_path, os.getppid(), os.getpid()).cpu(["loader"])
    assert sample.seconds["loader"] > 0
