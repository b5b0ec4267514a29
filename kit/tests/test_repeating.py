"""Tests that runs are repeated, and that after a stop a thread does not run again, and a task runs once more."""

import asyncio

import pytest
from structlog.testing import capture_logs

from kit.errors import Unavailable
from kit.loop_health import LoopHealth, run_ages
from kit.repeating import Repeating, RepeatingTask, stopped_within

PATIENCE = 10


class Counting(Repeating):
    """Stops itself in its third run."""

    def __init__(self) -> None:
        super().__init__("counting", 0.001)
        self.runs = 0

    def run_once(self) -> None:
        self.runs += 1
        if self.runs == 3:
            self.stop()


def test_it_ends_with_the_run_in_which_it_was_stopped() -> None:
    counting = Counting()
    counting.start()
    counting.join(PATIENCE)
    assert not counting.is_alive()
    assert counting.runs == 3


def test_stopped_before_its_first_run_it_runs_never() -> None:
    counting = Counting()
    counting.stop()
    counting.start()
    counting.join(PATIENCE)
    assert counting.runs == 0


class CountedRuns:
    """Counts runs. Each waits for `gate`, and signals that it has started."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()
        self.count = 0

    async def take(self) -> None:
        self.started.set()
        await self.gate.wait()
        self.count += 1


def test_a_task_runs_repeatedly_and_a_last_time() -> None:
    async def repeat() -> None:
        runs = CountedRuns()
        task = RepeatingTask("runs", 0.001, runs.take)
        task.start()
        async with asyncio.timeout(PATIENCE):
            while runs.count < 3:
                await asyncio.sleep(0.001)
        taken = runs.count
        await task.stop()
        assert runs.count == taken + 1

    asyncio.run(repeat())


def test_a_running_run_is_finished_before_the_last() -> None:
    async def repeat() -> None:
        runs = CountedRuns()
        runs.gate.clear()
        task = RepeatingTask("runs", 0, runs.take)
        task.start()
        async with asyncio.timeout(PATIENCE):
            await runs.started.wait()
            stopped = asyncio.create_task(task.stop())
            await asyncio.sleep(0)
            assert not stopped.done()
            runs.gate.set()
            await stopped
        assert runs.count == 2

    asyncio.run(repeat())


def test_a_run_that_takes_longer_than_a_stop_may_wait_is_cancelled() -> None:
    async def repeat() -> None:
        running, last = CountedRuns(), CountedRuns()
        for runs in (running, last):
            runs.gate.clear()
        running_task, never_started = RepeatingTask("runs", 0, running.take), RepeatingTask("runs", 3_600, last.take)
        running_task.start()
        async with asyncio.timeout(PATIENCE):
            await running.started.wait()
            with capture_logs() as logged:
                await running_task.stop(0.01)
                await never_started.stop(0.01)
        assert last.started.is_set()
        assert (running.count, last.count) == (0, 0)
        assert [(line["log_level"], line["loop"]) for line in logged] == [("warning", "runs")] * 2

    asyncio.run(repeat())


def test_a_task_that_waits_stops_at_once_and_one_never_started_runs_the_last_time() -> None:
    async def repeat() -> None:
        runs = CountedRuns()
        waiting, never = (RepeatingTask("runs", 3_600, runs.take) for _ in range(2))
        waiting.start()
        async with asyncio.timeout(PATIENCE):
            await waiting.stop()
            await never.stop()
        assert runs.count == 2

    asyncio.run(repeat())


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kit.repeating.AFTER_ERROR_SECONDS", 0.001)


@pytest.mark.usefixtures("_impatient")
def test_no_error_of_a_run_ends_a_task_also_not_of_the_last() -> None:
    async def repeat() -> None:
        runs: list[None] = []
        third = asyncio.Event()

        async def fail() -> None:
            runs.append(None)
            if len(runs) == 3:
                third.set()
            raise ValueError("oops")

        task = RepeatingTask("failing-task", 0, fail)
        task.start()
        async with asyncio.timeout(PATIENCE):
            await third.wait()
            await task.stop()
        assert len(runs) >= 4
        assert "failing-task" not in run_ages()

    asyncio.run(repeat())


def test_a_cancelled_task_takes_no_last_run() -> None:
    async def repeat() -> None:
        runs = CountedRuns()
        runs.gate.clear()
        task = RepeatingTask("runs", 0, runs.take)
        task.start()
        async with asyncio.timeout(PATIENCE):
            await runs.started.wait()
            await task.cancel()
        assert runs.count == 0

    asyncio.run(repeat())


class Failing(Counting):
    """Fails in every run and while it recovers from it, until it stops itself in its third run."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []

    def run_once(self) -> None:
        super().run_once()
        raise ValueError("oops")

    def recover(self) -> None:
        self.steps.append("recovered")
        raise ValueError("oops again")

    def ended(self) -> None:
        self.steps.append("ended")


@pytest.mark.usefixtures("_impatient")
def test_no_error_of_a_run_ends_a_thread() -> None:
    failing = Failing()
    failing.start()
    failing.join(PATIENCE)
    assert not failing.is_alive()
    assert failing.runs == 3
    assert failing.steps == ["recovered", "recovered", "recovered", "ended"]


def test_errors_are_logged_once_a_minute_with_how_many_were_not() -> None:
    now = 0.0
    health = LoopHealth("logged", lambda: now)
    with capture_logs() as logged:
        for now in (0.0, 1.0, 59.9, 60.0, 61.0):  # noqa: B007 the health's clock reads it
            health.failed(ValueError("oops"))
    assert [line["unlogged"] for line in logged] == [0, 2]
    assert isinstance(logged[0]["exc_info"], ValueError)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unavailable("the server is away\nfor long"), "the server is away"),
        (ConnectionError("the server is away"), "the server is away"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_an_error_of_a_dependency_is_a_warning_without_a_traceback(error: Exception, reason: str) -> None:
    with capture_logs() as logged:
        LoopHealth("warned").failed(error)
    (line,) = logged
    assert (line["log_level"], line["reason"], line.get("exc_info")) == ("warning", reason, None)


def test_ages_are_those_of_the_last_run_without_an_error() -> None:
    now = 10.0
    health = LoopHealth("aged", lambda: now)
    health.succeeded()
    now = 17.0
    health.failed(ValueError("oops"))
    assert run_ages(lambda: now)["aged"] == 7.0
    assert health is not None


def test_waiting_to_be_stopped_says_whether_it_was() -> None:
    async def wait() -> None:
        stopping = asyncio.Event()
        assert not await stopped_within(stopping, 0.001)
        stopping.set()
        assert await stopped_within(stopping, 0)
        assert await stopped_within(stopping, PATIENCE)

    asyncio.run(wait())
