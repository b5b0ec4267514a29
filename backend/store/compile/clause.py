"""One condition of a filter, with the facts that a planner needs."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Scan(Enum):
    """Reasons why no index rules out rows, so that every row in scope is tested. `explain` shows the values."""

    everything = "the query matches every record"
    excluded = "the query only excludes records, and no index finds the records that lack a term"
    part_of_word = "the query searches a part of a word, which only the index of profile text can look up"
    no_word = "the query names no whole word of the body"
    value = "no index has the values that the query names"
    alternative = "no index finds the records of at least one alternative of an OR"


@dataclass(frozen=True, slots=True)
class Clause:
    """A boolean SQL expression, in parentheses if it needs them. It is never NULL.

    `columns`: columns that the expression reads, without columns that ClickHouse needs only for the expression of the
    index on attribute values. `scan`: the reason why every row in scope has to be tested; None if an index on rare
    values (words of the body, values of attributes, trace ids) finds every matching row. `reads_pairs`: the index on
    attribute values decides a part of the expression. `looks_up_words`: an index on the words of bodies may find the
    matching rows faster. `words`: words of the body that every matching row has, as far as they are known.
    """

    sql: str
    columns: frozenset[str]
    scan: Scan | None = Scan.value
    reads_pairs: bool = False
    looks_up_words: bool = False
    words: frozenset[str] = frozenset()

    @property
    def prunes(self) -> bool:
        """True if granules without a matching row are never read, because an index finds every matching row."""
        return self.scan is None


def every(clauses: Iterable[Clause]) -> Clause:
    """Returns a clause that is true where all of `clauses` are. It prunes if at least one of them prunes."""
    parts = tuple(clauses)
    scans = [part.scan for part in parts]
    # `part_of_word` helps users more than other reasons, because they can choose profile `text`.
    scan = next((each for each in (None, Scan.part_of_word) if each in scans), scans[0])
    return Clause(
        "(" + " AND ".join([part.sql for part in parts]) + ")",
        columns=frozenset().union(*(part.columns for part in parts)),
        scan=scan,
        reads_pairs=any(part.reads_pairs for part in parts),
        looks_up_words=any(part.looks_up_words for part in parts),
        words=frozenset().union(*(part.words for part in parts)),
    )


def either(clauses: Iterable[Clause]) -> Clause:
    """Returns a clause that is true where at least one of `clauses` is.

    It prunes if all of them prune; servers combine several indexes since 25.12.
    """
    parts = tuple(clauses)
    prunes = all(part.prunes for part in parts)
    return Clause(
        "(" + " OR ".join([part.sql for part in parts]) + ")",
        columns=frozenset().union(*(part.columns for part in parts)),
        scan=None if prunes else Scan.alternative,
        reads_pairs=any(part.reads_pairs for part in parts),
        looks_up_words=prunes and any(part.looks_up_words for part in parts),
    )


def without(clause: Clause) -> Clause:
    """Returns a clause that is true where `clause` is false. No index helps with it."""
    return Clause(f"NOT ({clause.sql})", clause.columns, scan=Scan.excluded, reads_pairs=clause.reads_pairs)
