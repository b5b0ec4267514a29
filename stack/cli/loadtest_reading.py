"""`logsieve loadtest paging` and `export`: reading much, while more arrives or with little memory."""

from typing import Annotated

import typer

from kit.clock import SystemClock
from stack.cli.loadtest_result import AsJson, Write, finish
from stack.cli.loadtest_stack import Keep, Seed, own_stack_offset, telling


def paging(
    records: Annotated[int, typer.Option(min=1000, help="Records that are there from the beginning.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Records a second that arrive meanwhile.")] = 1_000,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Read all pages of 100 in both directions while records arrive in between; none may be missed or seen twice."""
    from loadtest.own_stack import own_stack
    from loadtest.paging.measure import GOAL
    from loadtest.paging.report import plain
    from loadtest.paging.run import PagingRun

    with telling(as_json) as say, own_stack(own_stack_offset(), ("api", "receiver", "loader"), keep, say) as stack:
        report = PagingRun(stack, seed, SystemClock(), say).run(records, rate)
        machine = stack.machine().line()
        for each in report.passes:
            say(f"{each.order}: {each.pages} pages, {each.seen} records, {each.missing} missing,")
            say(f"  {each.out_of_order} out of order; page 1 {each.first_page_ms:.1f} ms,")
            say(f"  page {each.late_page} {each.late_page_ms:.1f} ms, ratio {each.ratio:.2f}, goal {GOAL}")
    finish("paging", {**plain(report), "machine": machine}, as_json, write)


def export(
    records: Annotated[int, typer.Option(min=10_000, help="Records to export.")] = 1_000_000,
    slow_seconds: Annotated[float, typer.Option(min=1, help="How long the slow client reads.")] = 20.0,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Export many records at full speed, slowly and to clients that vanish; the backend's memory must not grow."""
    from loadtest.export.report import plain
    from loadtest.export.run import run
    from loadtest.own_stack import own_stack

    with telling(as_json) as say, own_stack(own_stack_offset(), ("api", "receiver"), keep, say) as stack:
        report = run(stack, records, slow_seconds, SystemClock(), say)
        machine = stack.machine().line()
    finish("export", {**plain(report), "machine": machine}, as_json, write)
