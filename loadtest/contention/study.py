"""Declares `logsieve loadtest contention`: its options, results and goals."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from kit.profile.flame_svg import flame_svg
from kit.profile.places import places
from kit.profile.stacks import Profile, Stack
from kit.profile.wait_frames import Wait, wait_of
from loadtest.bench import Bench
from loadtest.chart import Axis, lines
from loadtest.report.report import Part, Picture, Report, Row, Table, at_least, at_most
from loadtest.study import Smoke, Study

LOCKS: Final[Mapping[str, str]] = {
    "parts lock, shared": "SharedPartsLockWaitMicroseconds",
    "parts lock, exclusive": "PartsLockWaitMicroseconds",
    "Context lock": "ContextLockWaitMicroseconds",
    "global thread pool": "GlobalThreadPoolLockWaitMicroseconds",
    "local thread pools": "LocalThreadPoolLockWaitMicroseconds",
}
"""Locks whose waits are shown, each with the event of system.events that counts them."""
REAL_GOAL: Final = 20.0
"""Smallest share of Real, in percent, that waits for a lock while inserts run. A smaller one shows no contention."""
KERNEL_GOAL: Final = 1.5
"""Largest ratio of two counts of threads that do not wait, by sampled stacks and by the kernel: larger over smaller.

CPU is estimated from names of functions. The kernel's count does not depend on names.
"""
SHARES: Final = {"p50": 0.5, "p99": 0.99}
"""Percentiles of the durations of searches, each with its share of them."""
_SEPARATOR: Final = ";"
_PLACES: Final = 10


@dataclass(frozen=True, slots=True)
class Sizes:
    """Size of the study: parts of the table, statements at once, and seconds of each phase."""

    parts: int
    searches: int
    inserts: int
    seconds: float


SMOKE_SIZES: Final = Sizes(parts=200, searches=8, inserts=2, seconds=2)


class Moment(Part):
    """Seconds since the start of a phase, and the average number of threads that waited for each lock since the moment
    before.

    A wait counts when it ends.
    """

    second: float
    waiting: dict[str, float]


class Phase(Part):
    """Measurements while a number of inserts ran beside the searches."""

    inserts_at_once: int
    seconds: float
    searches: int
    inserts: int
    search_seconds: dict[str, float]
    """Percentiles of the searches' durations, in seconds, as their clients saw them."""
    snapshots: int
    """Number of reads of system.stack_trace."""
    unanswered: int
    """Stacks that are missing, because their threads got no core in time."""
    running_threads: float
    """Average number of threads of the server that ran or waited for a core, counted by the kernel."""
    moments: tuple[Moment, ...]
    real: dict[str, int]
    """Samples by stack: names of frames, separated by `;`, the outermost first. Narrow frames are cut off."""
    cpu: dict[str, int]

    @property
    def name(self) -> str:
        return f"{self.inserts_at_once} inserts" if self.inserts_at_once else "searches alone"

    @property
    def profile(self) -> Profile:
        return Profile(unfolded(self.real), unfolded(self.cpu))

    @property
    def lock_share(self) -> float:
        """Share of Real in percent that waits for a lock."""
        waits = sum(count for stack, count in self.profile.real.items() if wait_of(stack) is Wait.lock)
        return 100 * waits / max(1, sum(self.real.values()))

    @property
    def not_waiting(self) -> float:
        """Average number of threads in CPU, for each snapshot."""
        return sum(self.cpu.values()) / max(1, self.snapshots)

    def waiting(self, lock: str) -> float:
        """Average number of threads that waited for a lock, over the whole phase."""
        spans = zip((0.0, *(each.second for each in self.moments)), self.moments, strict=False)
        waited = sum(each.waiting.get(lock, 0.0) * (each.second - before) for before, each in spans)
        return waited / self.moments[-1].second if self.moments else 0.0


def folded(stacks: Mapping[Stack, int]) -> dict[str, int]:
    """Returns the stacks as lines of names. Separators in names become commas."""
    return {_SEPARATOR.join(name.replace(_SEPARATOR, ",") for name in stack): n for stack, n in stacks.items()}


def unfolded(lines_of_names: Mapping[str, int]) -> dict[Stack, int]:
    """Returns the stacks of `folded`."""
    return {tuple(line.split(_SEPARATOR)): count for line, count in lines_of_names.items()}


class ContentionReport(Report):
    parts: int
    at_once: int
    """Searches at once."""
    phases: tuple[Phase, ...]
    """Phases in the order in which they ran. The last one has inserts."""

    def extent(self) -> dict[str, float]:
        return {f"seconds with {each.inserts_at_once} inserts at once": round(each.seconds) for each in self.phases}

    def headline(self) -> tuple[Row, ...]:
        alone, busy = self.phases[0], self.phases[-1]
        shared = "parts lock, shared"
        running = (max(busy.not_waiting, 0.01), max(busy.running_threads, 0.01))
        counts = "threads that do not wait: sampled stacks and the kernel's count, larger over smaller"
        return (
            at_least("Real that waits for a lock, searches with inserts, percent", busy.lock_share, REAL_GOAL),
            at_most(counts, max(running) / min(running), KERNEL_GOAL),
            Row("Real that waits for a lock, searches alone, percent", f"{alone.lock_share:.1f}"),
            Row("threads that wait for the shared parts lock, with inserts", f"{busy.waiting(shared):.1f}"),
            Row("threads that wait for the shared parts lock, searches alone", f"{alone.waiting(shared):.1f}"),
            Row("threads that wait for the Context lock, with inserts", f"{busy.waiting('Context lock'):.4f}"),
        )

    def tables(self) -> tuple[Table, ...]:
        phases = tuple(
            (
                each.name,
                *(f"{each.searches / each.seconds:.1f}", f"{each.inserts / each.seconds:.2f}"),
                *(f"{each.search_seconds.get(name, 0.0):.1f}" for name in SHARES),
                *(f"{each.snapshots}", f"{sum(each.real.values()):,}", f"{sum(each.cpu.values()):,}"),
                *(f"{each.unanswered}", f"{each.not_waiting:.0f}", f"{each.running_threads:.0f}"),
            )
            for each in self.phases
        )
        head = ("searches/s", "inserts/s", "p50, s", "p99, s", "snapshots", "Real", "CPU", "no answer")
        waits = tuple((lock, *(f"{each.waiting(lock):.4f}" for each in self.phases)) for lock in LOCKS)
        return (
            Table("Phases", ("phase", *head, "not waiting by stacks", "by the kernel"), phases),
            Table("Threads that wait for a lock, on average", ("lock", *(each.name for each in self.phases)), waits),
            *(_places(each) for each in self.phases),
        )

    def pictures(self) -> tuple[Picture, ...]:
        alone, busy = self.phases[0], self.phases[-1]
        title = f"Threads that wait for a lock, {busy.name}"
        series = {lock: [(each.second, each.waiting[lock]) for each in busy.moments] for lock in LOCKS}
        waits = partial(lines, title=title, x=Axis("seconds"), y=Axis("threads"), series=series)
        return (
            _flames("contention.svg", busy, self.at_once),
            _flames("contention-alone.svg", alone, self.at_once),
            Picture("contention-waits.svg", f"{title}, over time", waits),
        )


def _places(phase: Phase) -> Table:
    rows = tuple(
        (f"`{each.frame}`", f"`{each.waits_in}`" if each.waits_in else "", f"{each.real:.1%}", f"{each.cpu:.1%}")
        for each in places(phase.profile)[:_PLACES]
    )
    return Table(f"Places, {phase.name}", ("in function", "waits in", "Real", "CPU"), rows)


def _flames(name: str, phase: Phase, at_once: int) -> Picture:
    title = f"{at_once} searches at once, {phase.name}"

    def draw(file: Path) -> None:
        explanation = "sampled from system.stack_trace; CPU has the stacks that are in no waiting function"
        file.write_text(flame_svg(phase.profile, title, explanation))

    return Picture(name, f"Flame graphs of {title}: Real on the left, CPU on the right", draw)


def run(
    bench: Bench,
    seconds: Annotated[float, typer.Option(min=1, help="Seconds of each of the two phases.")] = 60,
    smoke: Smoke = False,
) -> ContentionReport:
    """Profile ClickHouse while hundreds of searches run, alone and then beside inserts: lock waits over time, and flame
    graphs of elapsed time and of CPU time."""
    from loadtest.contention.run import run_study
    from loadtest.services import CLICKHOUSE

    sizes = SMOKE_SIZES if smoke else Sizes(parts=10_000, searches=200, inserts=4, seconds=seconds)
    with bench.stack(CLICKHOUSE) as stack:
        return run_study(bench, stack, sizes, smoke=smoke)


STUDY: Final = Study(
    "contention", "Searches that wait for locks", ContentionReport, run, smoke=("--smoke",), takes_seed=False
)
