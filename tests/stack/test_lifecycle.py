"""Tests of `up`, `down` and `status` when processes crash, ports are in use, and supervisors are killed."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.settings import Settings
from stack.ports import release_offset
from tests.eventually import eventually
from tests.stack.small_stack import SmallStack, kill, small_stack


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallStack]:
    """Yields the stack of all tests that begin with a running stack."""
    yield from _stack(tmp_path_factory.mktemp("shared") / "home")


@pytest.fixture
def running(shared: SmallStack) -> SmallStack:
    """Returns the shared stack after starting it. It has the data that previous tests left."""
    shared.up()
    return shared


@pytest.fixture
def small(tmp_path: Path) -> Iterator[SmallStack]:
    """Yields a stack that has never been started."""
    yield from _stack(tmp_path / "home")


def _stack(home: Path) -> Iterator[SmallStack]:
    stack = small_stack(home)
    yield stack
    assert stack.logsieve("down").returncode == 0
    release_offset(stack.offset)


def test_acknowledged_rows_survive_down_and_up(running: SmallStack) -> None:
    running.sql("CREATE DATABASE kept").raise_for_status()
    running.sql("CREATE TABLE kept.numbers (n UInt64) ENGINE = MergeTree ORDER BY n").raise_for_status()
    running.sql("INSERT INTO kept.numbers SELECT number FROM numbers(1000)").raise_for_status()
    assert running.logsieve("down").returncode == 0
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", 8123 + running.offset)):
        pass
    assert "<Fatal>" not in (running.home / "logs" / "clickhouse.log").read_text()
    running.up()
    assert running.sql("SELECT count() FROM kept.numbers").text.strip() == "1000"
    assert running.clickhouse()["restarts"] == 0


def test_second_up_changes_nothing_and_says_what_runs(running: SmallStack) -> None:
    before = running.clickhouse()["pid"], running.supervisor_pid()
    again = running.logsieve("up", "clickhouse")
    assert again.returncode == 0
    assert "running already" in again.stderr
    assert "clickhouse" in again.stdout
    assert (running.clickhouse()["pid"], running.supervisor_pid()) == before


def test_killed_service_is_started_again_with_its_rows(running: SmallStack) -> None:
    running.sql("CREATE DATABASE killed").raise_for_status()
    running.sql("CREATE TABLE killed.numbers (n UInt64) ENGINE = MergeTree ORDER BY n").raise_for_status()
    running.sql("INSERT INTO killed.numbers SELECT number FROM numbers(1000)").raise_for_status()
    first = running.clickhouse()
    kill(first["pid"])
    eventually(lambda: running.clickhouse()["restarts"] == first["restarts"] + 1, "status counts the restart")
    eventually(lambda: running.clickhouse()["state"] == "ready", "clickhouse is ready again")
    assert running.clickhouse()["pid"] != first["pid"]
    assert running.clickhouse()["last_exit"] == -9
    assert running.sql("SELECT count() FROM killed.numbers").text.strip() == "1000"


def test_up_works_after_the_supervisor_was_killed(running: SmallStack) -> None:
    orphan = running.clickhouse()["pid"]
    kill(running.supervisor_pid())
    eventually(lambda: running.logsieve("status").returncode == 1, "status reports that it has ended")
    running.up()
    assert running.clickhouse()["pid"] != orphan
    assert running.clickhouse()["state"] == "ready"


def test_down_ends_what_a_killed_supervisor_left(running: SmallStack) -> None:
    orphan = Path("/proc") / str(running.clickhouse()["pid"])
    kill(running.supervisor_pid())
    assert running.logsieve("down").returncode == 0
    eventually(lambda: not orphan.exists(), "the orphan has ended")


def test_taken_port_is_named_with_who_needs_it_and_a_way_out(small: SmallStack) -> None:
    port = 8123 + small.offset
    with socket.create_server(("127.0.0.1", port)):
        done = small.logsieve("up", "clickhouse")
    assert done.returncode == 1
    assert f"port {port}, which clickhouse needs for HTTP, is taken" in done.stderr
    assert "LOGSIEVE_PORT_OFFSET" in done.stderr
    assert small.logsieve("status").returncode == 1, "nothing was started"


def test_service_that_cannot_start_is_explained_and_nothing_is_left(small: SmallStack, tmp_path: Path) -> None:
    done = small.logsieve("up", "kafka", PATH=str(tmp_path))
    assert done.returncode == 1
    assert "there is no `java` on PATH" in done.stderr
    assert "kafka.log" in done.stderr
    assert small.logsieve("status").returncode == 1


def test_down_without_a_stack_is_harmless(small: SmallStack) -> None:
    assert small.logsieve("down").returncode == 0
    status = small.logsieve("status", "--json")
    assert status.returncode == 1
    assert json.loads(status.stdout)["services"] == []


def test_unknown_service_is_refused_with_the_known_ones(small: SmallStack) -> None:
    done = small.logsieve("up", "clickhaus")
    assert done.returncode == 1
    assert "clickhouse" in done.stderr


def test_clickhouse_wants_a_password_and_listens_on_loopback_only(running: SmallStack) -> None:
    assert running.sql("SELECT currentUser()").text.strip() == "logsieve"
    assert "AUTHENTICATION_FAILED" in running.sql("SELECT 1", password="wrong").text
    assert not running.sql("SELECT 1", user="default", password="").is_success
    secret = Settings(home=running.home).clickhouse_secret_file
    assert secret.stat().st_mode & 0o777 == 0o600
    for port in (8123 + running.offset, 9000 + running.offset):
        assert _listening_addresses(port) == {"0100007F"}


def test_health_checks_are_not_written_to_the_query_log(running: SmallStack) -> None:
    running.sql("SELECT 'logged'").raise_for_status()
    running.sql("SYSTEM FLUSH LOGS query_log").raise_for_status()
    logged = "SELECT DISTINCT query FROM system.query_log WHERE query IN ('SELECT 1', 'SELECT \\'logged\\'')"
    assert running.sql(f"{logged} FORMAT RawBLOB").text == "SELECT 'logged'"


def _listening_addresses(port: int) -> set[str]:
    """Returns the addresses, in hexadecimal, on which a process listens at this port.

    In /proc/net/tcp, state 0A is LISTEN (proc_net_tcp(5)).
    """
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            local, state = line.split()[1], line.split()[3]
            address, _, hexadecimal = local.partition(":")
            if state == "0A" and int(hexadecimal, 16) == port:
                found.add(address)
    return found
