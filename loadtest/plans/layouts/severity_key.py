"""The table of the known case: sorted by tenant, service and severity before time, with wide columns.

Embrace, which searches billions of logs, describes such a table. Its slowest search took 60 s. It took under 30 s once
ORDER BY … LIMIT was rewritten to find the keys first, and 1 to 2 s with a tested index on the words of the body.
"""

from typing import Final

from loadtest.plans.layouts.layout import Layout
from schema.clickhouse.index_profiles import BODY_INDEXES, Profile
from schema.columns import COLUMNS, NAMES

_COLUMNS: Final = ",\n    ".join(column.ddl for column in COLUMNS)

SEVERITY_KEY: Final = Layout(
    name="severity key",
    create=(
        f"CREATE TABLE IF NOT EXISTS {{table}}\n(\n    {_COLUMNS},\n    {BODY_INDEXES[Profile.tokenbf].ddl}\n)\n"
        "ENGINE = MergeTree\nPARTITION BY toDate(timestamp)\n"
        "ORDER BY (tenant_id, service, severity_number, timestamp)\nSETTINGS index_granularity = 512"
    ),
    copy=f"INSERT INTO {{table}} ({', '.join(NAMES)}) SELECT {', '.join(NAMES)} FROM {{source}}",
    word="hasToken(lower(body), '{}')",
    order=("timestamp",),
    key=("tenant_id", "service", "severity_number", "timestamp"),
    between="tenant_id = 1 AND timestamp >= fromUnixTimestamp64Nano({start}, 'UTC')"
    " AND timestamp < fromUnixTimestamp64Nano({end}, 'UTC')",
)
