"""`logsieve loadtest tail`."""

import dataclasses
from typing import Annotated

import typer

from kit.clock import SystemClock
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def tail(
    tails: Annotated[int, typer.Option(min=1, help="Clients that tail at once.")] = 200,
    seconds: Annotated[float, typer.Option(min=5, help="How long records are sent.")] = 60,
    rate: Annotated[int, typer.Option(min=10, help="Records a second of all tenants together.")] = 1000,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Follow with many tails; each record must reach every tail it matches once, and no query ClickHouse."""
    from loadtest.own_stack import own_stack
    from loadtest.tail.run import TailRun

    with telling(as_json) as say, own_stack(own_stack_offset(), ("receiver", "loader", "api"), keep, say) as stack:
        report = TailRun(stack, seed, SystemClock(), say).run(tails, seconds, rate)
        say(f"{report.sent} records sent, {report.rate:.0f} a second, {report.behind:.2f} s late at most")
        say(f"{report.expected} to be received: {report.lost} lost, {report.doubled} doubled, {report.foreign} foreign")
        say(f"{report.reconnects} reconnects, other events {report.other_events}")
        say(f"backend used {report.backend_cpu_share:.2f} of a processor, asked {report.backend_log_queries} queries")
        if not report.passed:
            stack.keep()
        machine = stack.machine().line()
    judged = {"passed": report.passed, "seed": seed, "machine": machine}
    finish("tail", {**judged, **dataclasses.asdict(report)}, as_json, write)
