"""`logsieve loadtest paging` and `export`: reading much, while more arrives or with little memory."""

import dataclasses
from typing import Annotated

import typer

from kit.clock import SystemClock
from stack.cli.loadtest import Keep, Seed, free_offset, telling
from stack.cli.loadtest_result import AsJson, Write, finish


def paging(
    records: Annotated[int, typer.Option(min=1000, help="Records that are there from the beginning.")] = 100_000,
    rate: Annotated[int, typer.Option(min=1, help="Records a second that arrive meanwhile.")] = 1_000,
    seed: Seed = 1,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Read all pages of 100 in both directions while records arrive in between; none may be missed or seen twice."""
    from loadtest.log_store import wait_for_tenant
    from loadtest.own_stack import own_stack
    from loadtest.paging.arrivals import Arrivals
    from loadtest.paging.measure import GOAL, PagingMeasurement

    page_rows, clock = 100, SystemClock()
    start_ns, length_ns = clock.now_ns() - 3600 * 10**9, 1800 * 10**9
    with telling(as_json) as say, own_stack(free_offset(), ("api", "receiver", "loader"), keep, say) as stack:
        sender = stack.create_sender("paging")
        arrivals = Arrivals(stack.otlp_http, sender.ingest_key, start_ns, length_ns, seed)
        with stack.query_api(sender.tenant) as api:
            say(f"sending {records} records")
            arrivals.send(records)
            wait_for_tenant(stack.settings, sender.lane, sender.tenant_id, records)
            measurement = PagingMeasurement(api, arrivals, (start_ns, start_ns + length_ns), page_rows, say)
            known = measurement.stored()
            passes = [measurement.measure(order, known, rate, records // page_rows) for order in ("desc", "asc")]
        machine = stack.machine().line()
        for each in passes:
            say(f"{each.order}: {each.pages} pages, {each.seen} records, {each.missing} missing,")
            say(f"  {each.out_of_order} out of order; page 1 {each.first_page_ms:.1f} ms,")
            say(f"  page {each.late_page} {each.late_page_ms:.1f} ms, ratio {each.ratio:.2f}, goal {GOAL}")
    finish(
        "paging",
        {
            "passed": len(known) == records and all(each.exact and each.ratio <= GOAL for each in passes),
            "goal": GOAL,
            "records": records,
            "stored": len(known),
            "arrived": arrivals.sent - records,
            "passes": [{**dataclasses.asdict(each), "ratio": each.ratio} for each in passes],
            "machine": machine,
        },
        as_json,
        write,
    )


def export(
    records: Annotated[int, typer.Option(min=10_000, help="Records to export.")] = 1_000_000,
    slow_seconds: Annotated[float, typer.Option(min=1, help="How long the slow client reads.")] = 20.0,
    keep: Keep = False,
    write: Write = None,
    as_json: AsJson = False,
) -> None:
    """Export many records at full speed, slowly and to clients that vanish; the backend's memory must not grow."""
    from kit.clickhouse import connect
    from loadtest.export.measure import GOAL_BYTES, ExportMeasurement
    from loadtest.export.rows import insert_rows
    from loadtest.own_stack import own_stack

    with telling(as_json) as say, own_stack(free_offset(), ("api", "receiver"), keep, say) as stack:
        sender = stack.create_sender("export")
        start_ns = SystemClock().now_ns() // 10**9 * 10**9 - 3 * 3600 * 10**9
        say(f"storing {records} records")
        with connect(stack.settings) as client:
            end_ns = insert_rows(client, sender, "r30", records, start_ns)
        with stack.query_api(sender.tenant) as api:
            pid = stack.services.pid("api")
            warm: dict[str, str | int] = {"start": start_ns, "end": start_ns + 2 * 10**9}
            ExportMeasurement(api, pid, warm, 20_000, say).at_full_speed("ndjson")
            measurement = ExportMeasurement(api, pid, {"start": start_ns, "end": end_ns}, records, say)
            growths = [
                measurement.at_full_speed("ndjson"),
                measurement.slowly(slow_seconds),
                measurement.vanishing(20),
                measurement.at_full_speed("csv"),
            ]
        machine = stack.machine().line()
    finish(
        "export",
        {
            "passed": all(each.grown_bytes < GOAL_BYTES and each.complete for each in growths),
            "goal_bytes": GOAL_BYTES,
            "records": records,
            "clients": [dataclasses.asdict(each) for each in growths],
            "machine": machine,
        },
        as_json,
        write,
    )
