"""Tests that the loader counts fields of the same rows as ClickHouse's views did until migration 0007."""

from collections import Counter
from collections.abc import Iterator

import pytest

from schema.clickhouse.tables import create_table
from schema.coordinates import Coordinates
from schema.log_columns import LogColumns
from schema.otlp import decode_message, field_counts
from schema.tests.field_counts_oracle import MAX_VALUES, Key, read_block
from schema.tests.test_field_counts import Batches, messages
from tests.chance import SEED, repetitions
from tests.search.engine import ClickHouse
from tests.search.fields_by_views import VIEWS, view_query

LOGS = "counted_logs"


@pytest.fixture
def logs(clickhouse: ClickHouse) -> Iterator[ClickHouse]:
    clickhouse.command(create_table("default", LOGS))
    yield clickhouse
    clickhouse.command(f"DROP TABLE {LOGS} SYNC")


def by_views(engine: ClickHouse) -> dict[Key, int]:
    counts: dict[Key, int] = {}
    for view in VIEWS:
        rows = engine.client.query(
            "SELECT tenant_id, cohort, source, toString(kind), field, toUnixTimestamp(bucket), value, records"
            f" FROM ({view_query(LOGS, view)})"
        ).result_rows
        counts |= {(int(row[0]), row[1], row[2], row[3], row[4], int(row[5]), row[6]): int(row[7]) for row in rows}
    return counts


def without_ties(counts: dict[Key, int]) -> dict[Key, int]:
    """Leaves out the least frequent values of each field that has MAX_VALUES values.

    Of several equally frequent values, the loader and the views may keep different ones.
    """
    of_fields: dict[tuple[int | str, ...], list[int]] = {}
    for key, records in counts.items():
        if key[3] == "value":
            of_fields.setdefault(key[:6], []).append(records)
    lowest = {field: min(records) for field, records in of_fields.items() if len(records) == MAX_VALUES}
    return {key: records for key, records in counts.items() if records > lowest.get(key[:6], 0)}


def sizes(counts: dict[Key, int]) -> Counter[tuple[int | str, ...]]:
    return Counter(key[:6] for key in counts)


def test_the_loader_counts_as_views_did(logs: ClickHouse) -> None:
    batches, total = Batches(SEED), 0
    for _ in range(repetitions(100)):
        raws = batches.any()
        rows = LogColumns()
        for offset, (raw, envelope) in enumerate(raws):
            rows.extend(decode_message(raw, envelope, Coordinates(1, 0, offset)))
        logs.command(f"TRUNCATE TABLE {LOGS}")
        logs.insert(LOGS, rows)
        found, expected = read_block(field_counts(messages(raws))), by_views(logs)
        assert without_ties(found) == without_ties(expected)
        assert sizes(found) == sizes(expected)
        total += len(found)
    assert total > 0
