"""Declares `logsieve loadtest faults`: its options, results and goals."""

import statistics
from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.faults.cluster.report import ClusterFindings
from loadtest.report.correctness import Correctness
from loadtest.report.report import Part, Report, Row, Table
from loadtest.study import Study


class Recovery(Part):
    """Seconds from a kill to the acknowledgement of a request started after it, and until its records were found.

    Both times include the pause of the supervisor before it starts a process again. The pause grows if the process ends
    repeatedly (stack/supervisor.py).
    """

    target: str
    acknowledged_after: float
    searchable_after: float


class FaultReport(Report, Correctness):
    kills: dict[str, int]
    pauses: int
    cuts: int = 0
    nodes: int = 1
    acknowledged: int
    recoveries: tuple[Recovery, ...] = ()
    cluster: ClusterFindings | None = None
    """Errors and times of searches meanwhile. None if shards had one replica."""

    @property
    def variant(self) -> str:
        nodes = f"{self.nodes}-nodes" if self.nodes > 1 else ""
        return nodes if self.cluster is None else f"{self.nodes}-nodes-{self.cluster.replicas}-replicas"

    def extent(self) -> dict[str, float]:
        return {"kills": sum(self.kills.values())}

    def headline(self) -> tuple[Row, ...]:
        if self.cluster is not None:
            done = f"{sum(self.kills.values())} kills, {self.pauses} servers that hang, one wiped"
            where = f"{self.nodes} shards x {self.cluster.replicas} replicas"
            row = self.row(f"wrong of {self.acknowledged:,} records in each replica after {done}, {where}")
            return (row, *self.cluster.headline())
        done = f"{sum(self.kills.values())} kills, {self.pauses} pauses, {self.cuts} broken connections"
        where = f", {self.nodes} ClickHouse nodes" if self.nodes > 1 else ""
        return (self.row(f"wrong of {self.acknowledged:,} records after {done}{where}"),)

    def tables(self) -> tuple[Table, ...]:
        if self.cluster is not None:
            return self.cluster.tables()
        lines = []
        for target, kills in self.kills.items():
            own = [each for each in self.recoveries if each.target == target]
            times = ([each.acknowledged_after for each in own], [each.searchable_after for each in own])
            cells = [f"{figure(each):.1f}" for each in times if each for figure in (statistics.median, max)]
            lines.append((target, str(kills), *(cells or [""] * 4)))
        head = ("killed", "times", "acknowledged again, median s", "longest", "searchable again, median s", "longest")
        return (Table("Back after a kill", head, tuple(lines)),)


def run(
    bench: Bench,
    kills: Annotated[int, typer.Option(min=0, help="Number of kills, spread over all processes.")] = 100,
    nodes: Annotated[
        int,
        typer.Option(min=1, envvar="LOGSIEVE_CLICKHOUSE_NODES", help="Number of ClickHouse nodes; each is a shard."),
    ] = 1,
    replicas: Annotated[
        int,
        typer.Option(
            min=1,
            max=9,
            help="Replicas of each shard. With several, clients search too, and servers hang and lose files.",
        ),
    ] = 1,
    records: Annotated[int, typer.Option(min=1, help="Records per second, with several replicas.")] = 100,
    searches: Annotated[float, typer.Option(min=0.5, help="Searches per second, with several replicas.")] = 2,
) -> FaultReport:
    """Kill, pause and disconnect processes while clients send; every acknowledged record must be stored once."""
    from loadtest.faults.cluster.plan import plan_cluster
    from loadtest.faults.cluster.run import ClusterRun
    from loadtest.faults.plan import plan
    from loadtest.faults.run import FaultRun, stack_settings
    from loadtest.services import loader_name

    services = ["receiver", *(loader_name(each) for each in range(replicas)), *(["api"] if replicas > 1 else [])]
    bench.say(f"seed {bench.seed}: {kills} kills")
    with bench.stack(*services, settings=stack_settings(nodes, replicas)) as stack:
        if replicas > 1:
            steps = plan_cluster(bench.seed, kills, stack.settings.topology.places)
            report = ClusterRun(bench, stack, steps, (records, searches)).run()
        else:
            report = FaultRun(bench, stack, plan(bench.seed, kills, stack.services.pipeline())).run()
        if not report.passed:
            stack.kept = True
            for kind, examples in report.examples.items():
                for example in examples:
                    bench.say(f"  {kind}: {example}")
            bench.say(f"`--seed {bench.seed}` with the same other options repeats these faults")
    return report


STUDY: Final = Study("faults", "Nothing lost, nothing doubled", FaultReport, run, smoke=("--kills", "4"))
