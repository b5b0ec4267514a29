"""Evaluates predicates on all rows of columns."""

from backend.predicate.predicate import Predicate
from backend.predicate.rows import Rows
from schema.log_columns import LogColumns


def rows_matching(predicate: Predicate, columns: LogColumns) -> list[int]:
    """Returns the numbers of the rows that match, ascending."""
    return among(predicate, Rows(columns))


def among(predicate: Predicate, rows: Rows) -> list[int]:
    """Like `rows_matching`, but over rows whose cache several predicates share."""
    return predicate.within(rows, range(len(rows.columns)))
