"""One condition of a filter, with what a planner wants to know of it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Scan(Enum):
    """Why no index leaves anything out, so that every row in scope is tested; the values are for `explain`."""

    everything = "the query matches every record"
    excluded = "what is excluded cannot be looked up"
    part_of_word = "a part of a word is asked for, which only profile text can look up"
    no_word = "the body is asked for no whole word"
    value = "the values asked for have no index"
    alternative = "one of the alternatives cannot be looked up"


@dataclass(frozen=True, slots=True)
class Clause:
    """A boolean SQL expression, in parentheses where it needs them; never NULL.

    `prunes`: an index on something rare (words of the body, values of attributes, trace ids) reaches every matching
    row, so granules without one are never read. `scan`: why not, where it does not prune. `columns`: columns that the
    expression reads.
    """

    sql: str
    columns: frozenset[str]
    prunes: bool = False
    scan: Scan | None = Scan.value

    def __post_init__(self) -> None:
        if self.prunes:
            object.__setattr__(self, "scan", None)


def every(clauses: Iterable[Clause]) -> Clause:
    """All of them: any one that prunes is enough."""
    parts = tuple(clauses)
    return Clause(
        "(" + " AND ".join([part.sql for part in parts]) + ")",
        frozenset().union(*(part.columns for part in parts)),
        any(part.prunes for part in parts),
        # A part that only profile text looks up says more than one that nothing does.
        Scan.part_of_word if any(part.scan is Scan.part_of_word for part in parts) else parts[0].scan,
    )


def either(clauses: Iterable[Clause]) -> Clause:
    """Any of them: all have to prune, which servers combine over several indexes since 25.12."""
    parts = tuple(clauses)
    return Clause(
        "(" + " OR ".join([part.sql for part in parts]) + ")",
        frozenset().union(*(part.columns for part in parts)),
        all(part.prunes for part in parts),
        Scan.alternative,
    )


def without(clause: Clause) -> Clause:
    """What the clause does not match; no index helps."""
    return Clause(f"NOT ({clause.sql})", clause.columns, scan=Scan.excluded)
