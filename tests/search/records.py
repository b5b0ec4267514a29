"""Log records that are hard to search, and functions that store records in a lane's table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from schema.clickhouse.tables import create_table
from schema.log_columns import LogColumns
from tests.search.engine import ClickHouse

TABLE = "tricky"


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of a log record that queries can name, and a name for tests.

    Trace and span ids are lower-case hexadecimal, or empty if absent.
    """

    name: str
    body: str = ""
    service: str = ""
    severity_number: int = 0
    severity_text: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    resource: Mapping[str, str] = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""
    trace_id: str = ""
    span_id: str = ""
    flags: int = 0
    event_name: str = ""
    body_truncated_bytes: int = 0


TRICKY: tuple[Record, ...] = (
    Record("empty"),
    Record("colon", "Connection:Error"),
    Record("reversed", "Error Connection"),
    Record("glued", "connectionerror"),
    Record("underscore", "connection_error"),
    Record("upper", "CONNECTION ERROR!"),
    Record("reset", "connection reset by peer"),
    Record("reset punctuation", "connection--reset\t(by)\n'peer'."),
    Record("reset with more", "connection was reset by a peer"),
    Record("overlap", "a b a b c"),
    Record("repeated", "a a b"),
    Record("newline", "first line\nsecond line"),
    Record("nul", "left\0right"),
    Record("accent", "Café É éclair naïve"),
    Record("accent lower", "café é"),
    Record("wide space", "left\u3000right"),
    Record("emoji", "deploy 🚀 done"),
    Record("address", "peer 10.0.0.1:8080 closed"),
    Record("longer address", "peer 110.0.0.1:80801 closed"),
    Record("user", "user-id=42 x"),
    Record("other user", "user-id=142 x"),
    Record("timeout", "Timeout while timing out"),
    Record("long words", "xtimeout timeoutx xtimeoutx"),
    Record("marks", "100% done!!! (really) [x] {y} \\ \" ' * ? _"),
    Record("percent", "100 done"),
    Record("slash", "GET /api/v1/users HTTP/1.1"),
    Record("del", "left\x7fright\x1fmiddle"),
    Record("not word", "not and or to"),
    Record("warn", service="checkout", severity_number=13, severity_text="WARN"),
    Record("warn4", service="Checkout", severity_number=16, severity_text="Warning"),
    Record("error", service="checkout-2", severity_number=17, event_name="order.paid", flags=1),
    Record("fatal", service="c%_k", severity_number=24, scope_name="lib", scope_version="1.2.3"),
    Record("trace", service="", severity_number=1, body_truncated_bytes=70_000),
    Record("traced", trace_id="4bf92f3577b34da6a3ce929d0e0e4736", span_id="00f067aa0ba902b7"),
    Record("traced too", trace_id="4bf92f3577b34da6a3ce929d0e0e4737", span_id="10f067aa0ba902b7"),
    Record("low trace", trace_id="0" * 31 + "1"),
    Record("status 500", attributes={"status": "500", "path": "/api/v1/users", "empty": ""}),
    Record("status 500.0", attributes={"status": "500.0"}),
    Record("status 5e2", attributes={"status": "5e2"}),
    Record("status 99", attributes={"status": "99"}, resource={"status": "500"}),
    Record("status resource", resource={"status": "500", "host.name": "web-1"}),
    Record("status -5", attributes={"status": "-5"}),
    Record("status text", attributes={"status": "5xx", "host.name": "Web-1"}, resource={"host.name": "web-1"}),
    Record("status odd", attributes={"status": " 500"}),
    Record("status inf", attributes={"status": "inf"}),
    Record("status nan", attributes={"status": "nan"}),
    Record("status .5", attributes={"status": ".5"}),
    Record("status huge", attributes={"status": "1e999"}),
    Record("status newline", attributes={"status": "500\n"}),
    Record("odd names", attributes={"odd name": "x", 'q"\\': "y", "service": "inner", "timestamp": "t", "é": "é"}),
    Record("text", attributes={"msg": "Connection reset\nby peer_x", "glob": "a*b", "like": "50%_off\\"}),
    Record("nul in a value", attributes={"token": '> (left\0"right'}),
    Record("text 2", attributes={"msg": "reset connection", "glob": "axxb", "like": "50xyoff\\"}),
    Record("empty over", attributes={"k": ""}, resource={"k": "full"}),
    Record("json", attributes={"list": '["a","b"]'}),
    Record("milliseconds", attributes={"seconds": "0.003"}),
    Record("milliseconds before", attributes={"seconds": "-0.003"}),
    Record("quarter", attributes={"seconds": "0.27"}),
    Record("almost a second", attributes={"seconds": "0.9512"}),
)


def log_columns(records: Sequence[Record], tenant_id: int = 1) -> LogColumns:
    """Returns the records as the loader inserts them. A record's id is its index."""
    columns = LogColumns()
    for number, record in enumerate(records):
        columns.tenant_id.append(tenant_id)
        columns.cohort.append("r30")
        columns.timestamp.append(0)
        columns.id.append(number)
        columns.observed_timestamp.append(0)
        columns.severity_number.append(record.severity_number)
        columns.severity_text.append(record.severity_text)
        columns.service.append(record.service)
        columns.body.append(record.body)
        columns.body_truncated_bytes.append(record.body_truncated_bytes)
        columns.attributes.append(dict(record.attributes))
        columns.attribute_types.append("s" * len(record.attributes))
        columns.resource.append(dict(record.resource))
        columns.resource_types.append("s" * len(record.resource))
        columns.scope_name.append(record.scope_name)
        columns.scope_version.append(record.scope_version)
        columns.trace_id.append(bytes.fromhex(record.trace_id or "0" * 32))
        columns.span_id.append(bytes.fromhex(record.span_id or "0" * 16))
        columns.flags.append(record.flags)
        columns.event_name.append(record.event_name)
    return columns


def fill_table(clickhouse: ClickHouse, records: Sequence[Record] = TRICKY) -> None:
    """Creates a lane's table with these records. A record's id is its index."""
    clickhouse.command(f"DROP TABLE IF EXISTS default.{TABLE}")
    clickhouse.command(create_table("default", TABLE))
    clickhouse.insert(TABLE, log_columns(records))


def share(columns: LogColumns, number: int, of: int) -> LogColumns:
    """Returns the rows of shard `number`, if the rows alternate between `of` shards."""
    return LogColumns(*(column[number::of] for column in columns.lists()))
