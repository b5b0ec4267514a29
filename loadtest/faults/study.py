"""Declares `logsieve loadtest faults`."""

from typing import Annotated, Final

import typer

from loadtest.bench import Bench
from loadtest.faults.report import FaultReport
from loadtest.study import Study


def run(
    bench: Bench,
    kills: Annotated[int, typer.Option(min=0, help="Number of kills, spread over all processes.")] = 100,
    nodes: Annotated[
        int,
        typer.Option(min=1, envvar="LOGSIEVE_CLICKHOUSE_NODES", help="Number of ClickHouse nodes; each is a shard."),
    ] = 1,
    target: Annotated[list[str] | None, typer.Option(help="Kill and pause only this process; may be repeated.")] = None,
) -> FaultReport:
    """Kill, pause and disconnect processes while clients send; every acknowledged record must be stored once."""
    from loadtest.faults.plan import plan
    from loadtest.faults.run import LOADER_SETTINGS, FaultRun, node_settings
    from loadtest.services import pipeline

    targets = pipeline(nodes)
    if unknown := [name for name in target or () if name not in targets]:
        raise typer.BadParameter(f"{unknown[0]!r} is no service of the stack; these are: {', '.join(targets)}")
    chosen = plan(bench.seed, kills, target or targets)
    with bench.stack("receiver", "loader", settings=LOADER_SETTINGS | node_settings(nodes)) as stack:
        bench.say(f"seed {bench.seed}: {kills} kills among {len(chosen)} faults")
        report = FaultRun(bench, stack, chosen).run(nodes)
        if not report.passed:
            stack.keep()
            for kind, examples in report.examples.items():
                for example in examples:
                    bench.say(f"  {kind}: {example}")
            only = "".join(f" --target {name}" for name in target or ())
            again = f"logsieve loadtest faults --kills {kills} --nodes {nodes} --seed {bench.seed}{only}"
            bench.say(f"`{again}` does the same again")
    return report


STUDY: Final = Study("faults", "Nothing lost, nothing doubled", FaultReport, run, smoke=("--kills", "4"))
