"""Counts the granules that a search reads."""

import re

from backend.language.parse import parse
from backend.store.compile.filter import compile_filter
from tests.search.engine import ClickHouse


def granules_read(clickhouse: ClickHouse, table: str, query: str) -> int:
    """Returns the number of granules of a log table in which no index excludes a match of the query."""
    found = compile_filter(parse(query))
    plan = clickhouse.query_rows(
        f"EXPLAIN indexes = 1 SELECT id FROM {table} WHERE tenant_id = 1 AND {found.sql}", found.parameters
    )
    granules = re.findall(r"Granules: ([0-9]+)/[0-9]+", "\n".join(str(line) for (line,) in plan))
    return int(granules[-1])
