"""`logsieve loadtest outage` and `fairness`: what applications notice of trouble that is not theirs."""

import dataclasses
from typing import Annotated

import typer

from kit.clock import SystemClock
from kit.errors import LogsieveError
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def outage(
    service: Annotated[str, typer.Argument(help="kafka or clickhouse.")],
    seconds: Annotated[float, typer.Option(min=1, help="How long it stays down.")] = 60,
    rate: Annotated[int, typer.Option(min=1, help="Records a second that an application logs meanwhile.")] = 200,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Keep Kafka or ClickHouse down under load; applications that try again must lose nothing."""
    from loadtest.outage.report import plain
    from loadtest.outage.run import SERVICES, Outage
    from loadtest.own_stack import own_stack

    if service not in SERVICES:
        raise typer.BadParameter(f"{service!r} is none of {', '.join(SERVICES)}")
    with telling() as say, own_stack(own_stack_offset(), ("receiver", "loader"), keep, say) as stack:
        try:
            report = Outage(stack, seed, SystemClock(), say).run(service, seconds, rate)
        except LogsieveError:
            stack.keep()
            raise
        statuses = ", ".join(f"{status}: {times}" for status, times in sorted(report.answers.statuses.items()))
        difference = report.verdict.difference
        say(f"answers to a request every quarter of a second, by status: {statuses}")
        say(f"{report.answers.without_retry_after} refusals did not say when to retry")
        say(f"slowest answer {report.answers.slowest_seconds:.2f} s")
        say(f"{report.logged} logged, {len(difference.lost)} lost, {len(difference.doubled)} kept twice")
        say(f"everything was searchable {report.drained_after:.1f} s after the outage")
        if not report.passed:
            stack.keep()
        machine = stack.machine().line()
    finish("outage", {**plain(report), "machine": machine}, as_json, write)


def fairness(
    rounds: Annotated[int, typer.Option(min=1, help="How often both sides are measured in turn.")] = 3,
    seconds: Annotated[float, typer.Option(min=4, help="Length of each side of a round.")] = 15,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Measure a tenant's acknowledgement latency alone and beside one that sends far over its limit."""
    from loadtest.fairness.measure import GOAL, FairnessMeasurement
    from loadtest.own_stack import own_stack

    with telling() as say, own_stack(own_stack_offset(), ("receiver", "loader"), keep, say) as stack:
        report = FairnessMeasurement(stack, seed, SystemClock(), say).measure(rounds, seconds)
        for name, side in (("alone", report.alone), ("beside", report.beside)):
            say(f"{name:<7} p50 {side.p50 * 1000:.1f} ms, p99 {side.p99 * 1000:.1f} ms in {side.requests} requests")
        say(f"ratio   {report.ratio:.2f}, goal {GOAL:g}; the flood was answered {report.flood}")
        machine = stack.machine().line()
    measured = {"ratio": report.ratio, "goal": GOAL, **dataclasses.asdict(report), "machine": machine}
    finish("fairness", {"passed": report.passed, **measured}, as_json, write)
