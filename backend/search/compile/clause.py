"""One condition of a filter, with what a planner wants to know of it."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A boolean SQL expression, in parentheses where it needs them; never NULL.

    `tokens`: folded words that the body of every matching row has. `prunes`: an index on something rare (words of the
    body, values of attributes, trace ids) reaches every matching row, so granules without one are never read.
    `columns`: columns that the expression reads.
    """

    sql: str
    columns: frozenset[str]
    tokens: frozenset[str] = frozenset()
    prunes: bool = False


def every(clauses: Iterable[Clause]) -> Clause:
    """All of them: any one that prunes is enough."""
    parts = tuple(clauses)
    return Clause(
        "(" + " AND ".join([part.sql for part in parts]) + ")",
        frozenset().union(*(part.columns for part in parts)),
        frozenset().union(*(part.tokens for part in parts)),
        any(part.prunes for part in parts),
    )


def either(clauses: Iterable[Clause]) -> Clause:
    """Any of them: all have to prune, which servers combine over several indexes since 25.12."""
    parts = tuple(clauses)
    return Clause(
        "(" + " OR ".join([part.sql for part in parts]) + ")",
        frozenset().union(*(part.columns for part in parts)),
        frozenset.intersection(*(part.tokens for part in parts)),
        all(part.prunes for part in parts),
    )


def without(clause: Clause) -> Clause:
    """What the clause does not match; no index helps."""
    return Clause(f"NOT ({clause.sql})", clause.columns)
