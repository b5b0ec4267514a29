from dataclasses import fields

from schema.columns import DECODED
from schema.log_columns import LogColumns


def test_columns_come_in_insert_order() -> None:
    assert tuple(each.name for each in fields(LogColumns)) == tuple(each.name for each in DECODED)


def rows(*ids: int) -> LogColumns:
    columns = LogColumns()
    for column in columns.lists():
        column.extend(ids)
    return columns


def test_extend_appends_every_column() -> None:
    left = rows(1)
    left.extend(rows(2, 3))
    assert left.lists() == [[1, 2, 3]] * len(DECODED)
    assert len(left) == 3
