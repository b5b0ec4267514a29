"""`logsieve loadtest ingest`, `freshness` and `faults`: the way in."""

import dataclasses
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.errors import InvalidRequest
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def ingest(
    size: Annotated[list[int] | None, typer.Option(help="Bytes a record: 4096 or 300; both when not given.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long to send each size; 20 when not given.")] = None,
    records: Annotated[int | None, typer.Option(help="Send this many of each size instead, in full requests.")] = None,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure bytes per CPU second from OTLP to ClickHouse against ClickHouse's own Native insert of the same rows."""
    from loadtest.corpus.records import LARGE, SMALL, shape_of
    from loadtest.ingest.measure import IngestMeasurement
    from loadtest.ingest.sender import REQUEST_RECORDS, Extent
    from loadtest.own_stack import own_stack

    if seconds is not None and records is not None:
        raise typer.BadParameter("give --seconds or --records, not both")
    try:
        shapes = [shape_of(each) for each in size or (LARGE.size, SMALL.size)]
    except InvalidRequest as error:
        raise typer.BadParameter(error.detail) from error
    requests = None if records is None else max(1, round(records / REQUEST_RECORDS))
    extent = Extent(requests, None if requests is not None else seconds or 20.0)
    with telling(as_json) as say, own_stack(own_stack_offset(), ("receiver", "loader"), keep, say) as stack:
        measurement = IngestMeasurement(stack, SystemClock(), say)
        results = [measurement.measure(shape, extent, seed) for shape in shapes]
        for result in results:
            say(f"{result.record_bytes} bytes, {result.sent} records sent, {result.stored} stored")
            for name, cost in (("logsieve", result.logsieve), ("native", result.native)):
                split = ", ".join(f"{process} {used:.1f}" for process, used in cost.cpu_seconds.items())
                say(f"  {name:<8} {cost.mb_per_cpu_second:7.1f} MB per CPU second ({split} s; {cost.seconds:.1f} s)")
            say(f"  ratio    {result.ratio:.3f}, goal {result.goal}")
        machine = stack.machine().line()
    report = {
        "passed": all(result.passed for result in results),
        "seed": seed,
        "sizes": [dataclasses.asdict(each) for each in results],
        "machine": machine,
    }
    finish("ingest", report, as_json, write)


def freshness(
    rate: Annotated[float | None, typer.Option(min=1, help="Records a second.")] = None,
    half_of_max: Annotated[
        bool, typer.Option("--half-of-max", help="Half of what goes in at most, measured first; so without --rate.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="How long to send.")] = 30.0,
    size: Annotated[int, typer.Option(help="Bytes a record: 4096 or 300.")] = 4096,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure the time from acknowledged to searchable at a fixed rate, and count what got lost or doubled."""
    from loadtest.corpus.records import shape_of
    from loadtest.freshness.measure import GOAL_SECONDS, FreshnessMeasurement
    from loadtest.freshness.report import plain
    from loadtest.own_stack import own_stack

    if rate is not None and half_of_max:
        raise typer.BadParameter("give --rate or --half-of-max, not both")
    try:
        shape = shape_of(size)
    except InvalidRequest as error:
        raise typer.BadParameter(error.detail) from error
    with telling(as_json) as say, own_stack(own_stack_offset(), ("receiver", "loader"), keep, say) as stack:
        measurement = FreshnessMeasurement(stack, shape, seed, SystemClock(), say)
        maximum = None if rate is not None else measurement.calibrate()
        result = measurement.measure(rate or (maximum or 0) / 2, maximum, seconds)
        difference = result.verdict.difference
        say(f"p50 {result.p50:.2f} s, p99 {result.p99:.2f} s, longest {result.longest:.2f} s, goal {GOAL_SECONDS:g} s")
        say(
            f"{result.acknowledged} acknowledged, {result.uncertain} uncertain, sent {result.behind:.2f} s late at most"
        )
        say(f"{len(difference.lost)} lost, {len(difference.doubled)} doubled, {len(difference.foreign)} foreign")
        for sentence in result.missed:
            say(sentence)
        if not difference.nothing:
            stack.keep()
        asked = {"goal_seconds": GOAL_SECONDS, "seed": seed, "machine": stack.machine().line()}
    finish("freshness", {**plain(result), **asked}, as_json, write)


def faults(
    kills: Annotated[int, typer.Option(min=0, help="Processes to kill, spread over all of them.")] = 100,
    nodes: Annotated[
        int, typer.Option(min=1, envvar="LOGSIEVE_CLICKHOUSE_NODES", help="ClickHouse nodes, a shard each.")
    ] = 1,
    target: Annotated[list[str] | None, typer.Option(help="Kill and pause only these.")] = None,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Kill, pause and cut off everything while clients send; then every acknowledged record must be there once."""
    from loadtest.faults.plan import plan
    from loadtest.faults.report import plain
    from loadtest.faults.run import LOADER_SETTINGS, FaultRun, node_settings
    from loadtest.own_stack import own_stack
    from loadtest.services import pipeline

    targets = pipeline(nodes)
    if unknown := [name for name in target or () if name not in targets]:
        raise typer.BadParameter(f"{unknown[0]!r} is none of {', '.join(targets)}")
    chosen = plan(seed, kills, target or targets)
    settings = LOADER_SETTINGS | node_settings(nodes)
    with (
        telling(as_json) as say,
        own_stack(own_stack_offset(), ("receiver", "loader"), keep, say, settings) as stack,
    ):
        say(f"seed {seed}: {kills} kills among {len(chosen)} faults")
        report = FaultRun(stack, chosen, seed, SystemClock(), say).run()
        difference = report.verdict.difference
        say(f"{report.acknowledged} acknowledged, {report.uncertain} uncertain in {report.requests} requests")
        say(f"{len(difference.lost)} lost, {len(difference.doubled)} doubled, {len(difference.foreign)} foreign")
        for example in (*report.verdict.lost, *report.verdict.doubled, *report.verdict.foreign):
            say(f"  {example}")
        if not report.passed:
            stack.keep()
            only = "".join(f" --target {name}" for name in target or ())
            say(f"`logsieve loadtest faults --kills {kills} --nodes {nodes} --seed {seed}{only}` does the same again")
        machine = stack.machine().line()
    finish("faults", {**plain(report), "nodes": nodes, "machine": machine}, as_json, write)
