"""The whole measurement on one stack: stores the records, then each client exports them in turn."""

from typing import Final

from kit.clickhouse import connect
from kit.clock import Clock
from loadtest.export.measure import ExportMeasurement
from loadtest.export.report import ExportReport
from loadtest.export.rows import insert_rows
from loadtest.own_stack import OwnStack, Say

_COHORT: Final = "r30"
_BACK_SECONDS: Final = 3 * 3600
_WARM_UP_RECORDS: Final = 20_000
_WARM_UP_NS: Final = 2 * 10**9
"""What so many records fill, at ten a millisecond."""
_VANISHING: Final = 20


def run(stack: OwnStack, records: int, slow_seconds: float, clock: Clock, say: Say) -> ExportReport:
    """`slow_seconds` is how long the slow client reads. Raises Internal when an export is empty."""
    sender = stack.create_sender("export")
    start_ns = (clock.now_ns() // 10**9 - _BACK_SECONDS) * 10**9
    say(f"storing {records} records")
    with connect(stack.settings) as client:
        end_ns = insert_rows(client, sender, _COHORT, records, start_ns)
    with stack.query_api(sender.tenant) as api:
        pid = stack.services.pid("api")
        warm: dict[str, str | int] = {"start": start_ns, "end": start_ns + _WARM_UP_NS}
        ExportMeasurement(api, pid, warm, _WARM_UP_RECORDS, say).at_full_speed("ndjson")
        measurement = ExportMeasurement(api, pid, {"start": start_ns, "end": end_ns}, records, say)
        growths = (
            measurement.at_full_speed("ndjson"),
            measurement.slowly(slow_seconds),
            measurement.vanishing(_VANISHING),
            measurement.at_full_speed("csv"),
        )
    return ExportReport(records, growths)
