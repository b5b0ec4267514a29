"""OpenTelemetry's ClickHouse exporter, as loadtest.search has it."""

from typing import Final

from loadtest.plans.layouts.layout import Layout
from loadtest.search.exporter_table import COPY, CREATE, WORD

EXPORTER: Final = Layout(
    name="exporter",
    create=CREATE,
    copy=COPY,
    word=WORD,
    order=("Timestamp",),
    key=("ServiceName", "TimestampTime", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})"
    " AND TimestampTime >= toDateTime(intDiv({start}, 1000000000))"
    " AND TimestampTime <= toDateTime(intDiv({end}, 1000000000))",
)
