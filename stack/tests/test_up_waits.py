"""Tests that `logsieve up` waits for a migration of any length while its stores answer, and for everything else as long
as its option says."""

import io
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console

from kit.clock import ManualClock
from kit.errors import Internal
from kit.settings import Settings
from stack.cli import up
from stack.processes import identify
from stack.state import Phase, ServiceState, StackState

TIMEOUT = 180.0


@dataclass
class Start:
    """A start of a stack, of which each pause of `up` takes a minute. `phases` has the phase of the service `migrate`
    in each minute, and `store_phases` that of ClickHouse; the last one stays."""

    log_file: Path
    clock: ManualClock = field(default_factory=ManualClock)
    minutes: int = 0
    phases: tuple[Phase, ...] = ()
    store_phases: tuple[Phase, ...] = (Phase.ready,)
    started_ns: int | None = None
    """Time at which the migration was started."""
    restarts: int = 0
    """Number of times that ClickHouse was started again."""
    lines: tuple[str, ...] = ()
    """Lines that the migration writes, one in each minute."""
    printed: io.StringIO = field(default_factory=io.StringIO)
    """Text that `up` prints, without a terminal."""

    def pause(self, _seconds: float) -> None:
        self.clock.advance(60)
        if self.minutes < len(self.lines):
            with self.log_file.open("a") as log:
                log.write(f"{self.lines[self.minutes]}\n")
        self.minutes += 1
        assert self.minutes < 600, "`up` waits for ever"

    def state(self, _settings: object = None) -> StackState:
        phase, store_phase = (each[min(self.minutes, len(each) - 1)] for each in (self.phases, self.store_phases))
        supervisor = identify(1)
        assert supervisor is not None
        store = ServiceState(name="clickhouse", phase=store_phase, detail="timed out", restarts=self.restarts)
        migrate = ServiceState(name="migrate", phase=phase, log_file=self.log_file, started_ns=self.started_ns)
        waiting = ServiceState(name="api", phase=Phase.waiting)
        return StackState(supervisor=supervisor, port_offset=0, services=(store, migrate, waiting))

    def follow(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(up, "running_state", self.state)
        monkeypatch.setattr("stack.cli.up.time.sleep", self.pause)
        monkeypatch.setattr(up, "failure", lambda *_: None)
        console = Console(file=self.printed, width=1_000)
        up._follow(Settings(home=self.log_file.parent), self.state(), TIMEOUT, self.clock, console)


def test_the_time_of_a_migration_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path / "migrate.log", phases=(*[Phase.starting] * 60, Phase.done))
    with pytest.raises(Internal, match="not ready after 180 s: api is waiting"):
        start.follow(monkeypatch)
    assert start.minutes == 63, "an hour of the migration, and then three minutes until the check that fails"


@pytest.mark.parametrize(("phase", "restarts"), [(Phase.unhealthy, 0), (Phase.backing_off, 0), (Phase.starting, 1)])
def test_a_migration_whose_store_does_not_answer_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: Phase, restarts: int
) -> None:
    phases = (*[Phase.ready] * 60, phase)
    start = Start(tmp_path / "migrate.log", phases=(Phase.starting,), store_phases=phases, restarts=restarts)
    with pytest.raises(Internal, match=f"not ready after 180 s: clickhouse is {phase} timed out; migrate is starting"):
        start.follow(monkeypatch)
    assert start.minutes == 63, "an hour in which ClickHouse answers, and then three minutes"


def test_a_store_that_answers_again_leaves_the_migration_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = (*[Phase.unhealthy, Phase.unhealthy, Phase.ready] * 20, Phase.ready)
    start = Start(tmp_path / "migrate.log", phases=(*[Phase.starting] * 60, Phase.done), store_phases=phases)
    with pytest.raises(Internal, match="not ready after 180 s: api is waiting"):
        start.follow(monkeypatch)
    assert start.minutes == 63


def test_a_start_without_a_migration_is_given_up_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path / "migrate.log", phases=(Phase.waiting,))
    with pytest.raises(Internal, match="not ready after 180 s"):
        start.follow(monkeypatch)
    assert start.minutes == 4


def test_the_step_of_a_migration_is_its_last_line(tmp_path: Path) -> None:
    start = Start(tmp_path / "migrate.log", phases=(Phase.starting,))
    assert up._running_migration(start.state()) == ""
    start.log_file.write_text("control plane is up to date\nupgrading log tables: index services (revision 0009)\n")
    assert up._running_migration(start.state()) == "upgrading log tables: index services (revision 0009)"


def test_lines_of_an_earlier_migration_are_not_its_step(tmp_path: Path) -> None:
    start = Start(tmp_path / "migrate.log", phases=(Phase.starting,))
    start.log_file.write_text("topics logs.otlp and logs.dead exist\n")
    start.started_ns = start.log_file.stat().st_mtime_ns + 1
    assert up._running_migration(start.state()) == ""
    start.started_ns = start.log_file.stat().st_mtime_ns
    assert up._running_migration(start.state()) == "topics logs.otlp and logs.dead exist"


def test_without_a_terminal_each_step_of_a_migration_is_printed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = ("control plane is up to date", "waiting up to 120 s: [x] holds the lease `lanes`")
    start = Start(tmp_path / "migrate.log", phases=(*[Phase.starting] * 60, Phase.done), lines=steps)
    with pytest.raises(Internal, match="not ready after 180 s"):
        start.follow(monkeypatch)
    printed = [line for line in start.printed.getvalue().splitlines() if line.startswith("migrate ")]
    assert printed == [*(f"migrate     {step}" for step in steps), "migrate     done after 3600.0 s"]
