"""The table layouts of the comparison: Logsieve's, that of the known case, and exact copies of other products' tables.
Makes the SQL that reads a page from a table of any layout.

The folder `tables` has the statements that create and fill the tables of other products. Their sources are:

- exporter: OpenTelemetry's ClickHouse exporter, opentelemetry-collector-contrib, exporter/clickhouseexporter/internal/
  sqltemplates/logs_table.sql as it was before PR #47720 (April 2026). Most installations have this version.
- exporter text: the same file of version 0.165.1, as the exporter creates the table on ClickHouse 26.2 and newer.
  Columns made from attributes of Kubernetes are left out, as for clickstack. Only the study `search` reads it.
- signoz: SigNoz/signoz-otel-collector, cmd/signozschemamigrator/schema_migrator/{v2_squashed_logs_migration,
  logs_migrations}.go; SigNoz/signoz, pkg/querier/list_range.go. Its JSON columns are left out, because no search of the
  study reads them.
- clickstack (HyperDX): hyperdxio/hyperdx, docker/otel-collector/schema/seed/00002_otel_logs.sql, packages/app/src/
  utils/searchWindows.ts, packages/common-utils/src/clickhouse/index.ts. The layout is that with the text index. Columns
  made from attributes of Kubernetes are left out, because the corpus lacks them and no search of the study reads them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Final

from backend.store.scope import TimeRange
from loadtest.corpus.rows import LARGEST, OWN_COHORT
from schema.clickhouse.index_profiles import BODY_INDEXES, Profile
from schema.columns import COLUMNS, NAMES, SORTING_KEY

_HOUR_NS: Final = 3_600 * 10**9
_TABLES: Final = Path(__file__).with_name("tables")
_COPY: Final = f"INSERT INTO {{table}} ({', '.join(NAMES)}) SELECT {', '.join(NAMES)} FROM {{source}}"
_WITHIN: Final = (
    " AND timestamp >= fromUnixTimestamp64Nano({start}, 'UTC') AND timestamp < fromUnixTimestamp64Nano({end}, 'UTC')"
)
_COLUMNS: Final = ",\n    ".join(column.ddl for column in COLUMNS)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table layout. Texts with placeholders are templates of SQL.

    `create` creates {table}. `copy` fills {table} from {source}, a log table of Logsieve. `word` is the condition that
    a body has the word {}. `between` is the condition that a time is from {start} to {end}, in nanoseconds. `order` has
    the columns by which the product orders pages, descending. `key` has columns that begin the primary key and together
    identify a record of the corpus.

    If `hours` is not empty, the product reads a page by successive time windows of so many hours, from the end of the
    range to its start. The last length is repeated. `settings` are sent with each of these statements.
    """

    name: str
    create: str
    copy: str
    order: tuple[str, ...]
    key: tuple[str, ...]
    between: str
    word: str = "hasToken(lower(body), '{}')"
    hours: tuple[float, ...] = ()
    settings: Mapping[str, int] = field(default_factory=dict)


def _statement(name: str) -> str:
    return (_TABLES / f"{name}.sql").read_text()


OURS: Final = Layout(
    name="logsieve",
    create="",
    copy=_COPY,
    order=("timestamp", "id"),
    key=SORTING_KEY,
    between=f"tenant_id = {LARGEST} AND cohort = '{OWN_COHORT}'" + _WITHIN,
)
"""Logsieve's own layout. `create` is empty, because migrations create the table."""

SEVERITY_KEY: Final = Layout(
    name="severity key",
    create=(
        f"CREATE TABLE IF NOT EXISTS {{table}}\n(\n    {_COLUMNS},\n    {BODY_INDEXES[Profile.tokenbf].ddl}\n)\n"
        "ENGINE = MergeTree\nPARTITION BY toDate(timestamp)\n"
        "ORDER BY (tenant_id, service, severity_number, timestamp)\nSETTINGS index_granularity = 512"
    ),
    copy=_COPY,
    order=("timestamp",),
    key=("tenant_id", "service", "severity_number", "timestamp"),
    between=f"tenant_id = {LARGEST}" + _WITHIN,
)
"""Table of the known case: sorted by tenant, service and severity before time, with wide columns.

Embrace, which searches billions of logs, has described such a table. The slowest search took 60 s. After ORDER BY …
LIMIT was rewritten to find the keys first, it took less than 30 s. With a tested index on the words of the body, it
took 1 to 2 s.
"""

EXPORTER: Final = Layout(
    name="exporter",
    create=_statement("exporter_create"),
    copy=_statement("exporter_copy"),
    word="hasToken(Body, '{}')",
    order=("Timestamp",),
    key=("ServiceName", "TimestampTime", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})"
    " AND TimestampTime >= toDateTime(intDiv({start}, 1000000000))"
    " AND TimestampTime <= toDateTime(intDiv({end}, 1000000000))",
)

EXPORTER_TEXT: Final = Layout(
    name="exporter text",
    create=_statement("exporter_text_create"),
    # The table has the same columns as ClickStack's.
    copy=_statement("clickstack_copy"),
    # The exporter's documentation searches by hasToken(Body, …), which the index on lower(Body) does not answer.
    word="hasToken(lower(Body), '{}')",
    order=("Timestamp",),
    key=("toStartOfFiveMinutes(Timestamp)", "ServiceName", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})",
)

SIGNOZ: Final = Layout(
    name="signoz",
    create=_statement("signoz_create"),
    copy=_statement("signoz_copy"),
    order=("timestamp", "id"),
    key=("ts_bucket_start", "resource_fingerprint", "severity_text", "timestamp", "id"),
    # Buckets are half an hour wide, so the bucket of `start` begins up to half an hour before `start`.
    between="timestamp >= {start} AND timestamp < {end}"
    " AND ts_bucket_start >= intDiv({start}, 1000000000) - 1800 AND ts_bucket_start <= intDiv({end}, 1000000000)",
    hours=(1, 2, 4, 8, 16),
)

CLICKSTACK: Final = Layout(
    name="clickstack",
    create=_statement("clickstack_create"),
    copy=_statement("clickstack_copy"),
    word="hasAllTokens(lower(Body), ['{}'])",
    order=("Timestamp",),
    key=("toStartOfFiveMinutes(Timestamp)", "ServiceName", "Timestamp"),
    between="Timestamp >= fromUnixTimestamp64Nano({start}) AND Timestamp < fromUnixTimestamp64Nano({end})",
    hours=(0.25, 6, 6, 12, 24),
    settings={
        "query_plan_optimize_lazy_materialization": 1,
        "query_plan_max_limit_for_lazy_materialization": 100_000,
        "use_skip_indexes_for_top_k": 1,
        "query_plan_max_limit_for_top_k_optimization": 100_000,
        "use_skip_indexes_on_data_read": 1,
        "use_skip_indexes_for_disjunctions": 1,
    },
)

PEERS: Final = (EXPORTER, SIGNOZ, CLICKSTACK)
"""Layouts of other products that the study `plans` reads."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table of a layout. `distributed` is true if its rows are on several nodes."""

    layout: Layout
    table: str
    distributed: bool

    @property
    def order(self) -> str:
        return "ORDER BY " + ", ".join(f"{column} DESC" for column in self.layout.order)

    def within(self, span: TimeRange) -> str:
        """Returns the FROM clause and the condition on the time."""
        return f" FROM {self.table} WHERE {self.layout.between.format(start=span.start_ns, end=span.end_ns)}"


def plain(source: Source, condition: str, span: TimeRange, limit: int, columns: str = "*") -> str:
    """Returns a statement that reads a page by ORDER BY … LIMIT."""
    return f"SELECT {columns}{source.within(span)} AND ({condition}) {source.order} LIMIT {limit}"


def rewritten(source: Source, condition: str, span: TimeRange, limit: int) -> str:
    """Returns a statement that finds the keys of a page in a subquery over narrow columns, then reads rows by key."""
    key = ", ".join(source.layout.key)
    keys = plain(source, condition, span, limit, key)
    is_in = "GLOBAL IN" if source.distributed else "IN"
    return f"SELECT *{source.within(span)} AND ({key}) {is_in} ({keys}) {source.order}"


def windows(layout: Layout, span: TimeRange) -> Iterator[TimeRange]:
    """Yields the time windows in which the layout's product reads the span, from its end to its start."""
    end = span.end_ns
    for hours in chain(layout.hours, repeat(layout.hours[-1])):
        start = max(span.start_ns, end - round(hours * _HOUR_NS))
        yield TimeRange(start, end)
        if start == span.start_ns:
            return
        end = start
