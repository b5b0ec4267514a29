"""Declares `logsieve loadtest faults`."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.faults.report import FaultReport
from loadtest.study import Study

if TYPE_CHECKING:
    from loadtest.own_stack import OwnStack


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
    records: Annotated[int, typer.Option(min=1, help="Records per second, with several replicas.")] = 2_000,
    searches: Annotated[float, typer.Option(min=0.5, help="Searches per second, with several replicas.")] = 20,
    hang: Annotated[float, typer.Option(min=2, help="Seconds that a server hangs, with several replicas.")] = 30,
) -> FaultReport:
    """Kill, pause and disconnect processes while clients send; every acknowledged record must be stored once."""
    if replicas > 1:
        return _run_cluster(bench, kills, (nodes, replicas), (records, searches), hang)
    return _run_one(bench, kills, nodes)


def _run_one(bench: Bench, kills: int, nodes: int) -> FaultReport:
    from loadtest.faults.plan import plan
    from loadtest.faults.run import LOADER_SETTINGS, FaultRun, node_settings
    from loadtest.services import pipeline

    chosen = plan(bench.seed, kills, pipeline(nodes))
    with bench.stack("receiver", "loader", settings=LOADER_SETTINGS | node_settings(nodes)) as stack:
        bench.say(f"seed {bench.seed}: {kills} kills among {len(chosen)} faults")
        report = FaultRun(bench, stack, chosen).run(nodes)
        _keep_if_wrong(bench, stack, report, f"--kills {kills} --nodes {nodes}")
    return report


def _run_cluster(
    bench: Bench, kills: int, shape: tuple[int, int], rates: tuple[float, float], hang: float
) -> FaultReport:
    """Runs the drill on a cluster. `shape` is the number of shards and of replicas of each."""
    from loadtest.faults.cluster.plan import plan_cluster
    from loadtest.faults.cluster.run import ClusterRun
    from loadtest.faults.run import node_settings
    from loadtest.services import loader_name

    nodes, replicas = shape
    loaders = [loader_name(each) for each in range(replicas)]
    with bench.stack("receiver", *loaders, "api", settings=node_settings(nodes, replicas)) as stack:
        steps = plan_cluster(bench.seed, kills, stack.settings.topology.places)
        bench.say(f"seed {bench.seed}: {kills} kills among {len(steps)} failures")
        report = ClusterRun(bench, stack, steps, rates, hang).run()
        options = f"--kills {kills} --nodes {nodes} --replicas {replicas} --records {rates[0]} --searches {rates[1]:g}"
        _keep_if_wrong(bench, stack, report, f"{options} --hang {hang:g}")
    return report


def _keep_if_wrong(bench: Bench, stack: "OwnStack", report: FaultReport, options: str) -> None:
    """Keeps the stack's folder if a goal was missed, and shows examples and how to repeat the run."""
    if report.passed:
        return
    stack.keep()
    for kind, examples in report.examples.items():
        for example in examples:
            bench.say(f"  {kind}: {example}")
    for reason, count in () if report.cluster is None else report.cluster.reasons.items():
        bench.say(f"  {count} searches failed: {reason}")
    bench.say(f"`logsieve loadtest faults {options} --seed {bench.seed}` does the same again")


STUDY: Final = Study("faults", "Nothing lost, nothing doubled", FaultReport, run, smoke=("--kills", "4"))
