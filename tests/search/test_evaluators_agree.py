"""Tests that SQL and the predicate find the same random records by random queries, and detect mistakes in either."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import Phase

from backend.language import regex_literals
from backend.language.nodes import Comparator
from backend.language.regex_literals import Required
from backend.language.words import words
from backend.predicate import predicate
from backend.predicate import text_values as predicate_values
from backend.store.compile import attributes, columns, filter, text_values
from backend.store.compile import words as sql_words
from backend.store.compile.clause import Clause
from tests.chance import SEED, repetitions
from tests.search import engine
from tests.search.agreement import Agreement, agreement, by_predicate
from tests.search.engine import ClickHouse
from tests.search.random_logs import Batch, for_random_batches

PORTION = 300
"""Smallest number of queries in a portion. Each query is run over random records."""
PORTIONS = repetitions(10)
PORTIONS_FOR_A_MISTAKE = 20
"""Largest number of portions that may be needed to detect a mistake."""


@pytest.fixture(scope="module")
def both(clickhouse: ClickHouse) -> Agreement:
    return agreement(clickhouse.settings, [clickhouse])


@dataclass(slots=True)
class Stored:
    """A random batch, the number of the tenant that has its records, and what both evaluators find, in one table."""

    batch: Batch
    tenant_id: int
    by_predicate: list[set[int]]
    by_sql: list[set[int]]


class Portions:
    """Portions of random batches. A portion is made and stored when it is first needed."""

    def __init__(self, both: Agreement) -> None:
        self._both = both
        self._one_table = replace(both, tables=both.tables[:1])
        self._made: list[list[Stored]] = []

    def __getitem__(self, number: int) -> list[Stored]:
        """Returns the batches of a portion."""
        while len(self._made) <= number:
            found: list[Stored] = []

            def store(batch: Batch, found: list[Stored] = found) -> None:
                tenant_id = self._both.store(batch.records)
                found.append(Stored(batch, tenant_id, by_predicate(batch), self.by_sql(tenant_id, batch)))

            for_random_batches(store, PORTION, Phase.generate, portion=len(self._made))
            self._made.append(found)
        return self._made[number]

    def by_sql(self, tenant_id: int, batch: Batch) -> list[set[int]]:
        """Returns the ids that SQL finds in one table by each query."""
        [table] = self._one_table.tables
        found = self._one_table.by_sql(tenant_id, batch.queries)
        return [found[table, number] for number in range(len(batch.queries))]


@pytest.fixture(scope="module")
def portions(both: Agreement) -> Portions:
    return Portions(both)


@pytest.mark.parametrize("number", range(PORTIONS))
def test_random_queries_find_the_same_records(both: Agreement, portions: Portions, number: int) -> None:
    def check(batch: Batch) -> None:
        found = both.disagreements(both.store(batch.records), batch)
        assert not found, f"seed {SEED}: {found[0]}"

    assert sum(len(stored.batch.queries) for stored in portions[number]) >= PORTION
    found = [each for stored in portions[number] for each in both.disagreements(stored.tenant_id, stored.batch)]
    if found:
        for_random_batches(check, PORTION, Phase.generate, Phase.shrink, portion=number)
    assert not found


def changed_sql(function: Callable[..., Any], pattern: str, replacement: str) -> Callable[..., Any]:
    """Returns a function like the given one that replaces each match of `pattern` in the SQL it returns."""

    def mistaken(*arguments: Any) -> Any:
        made = function(*arguments)
        if isinstance(made, Clause):
            return replace(made, sql=re.sub(pattern, replacement, made.sql))
        return re.sub(pattern, replacement, made)

    return mistaken


MISTAKES: dict[str, tuple[Any, str, Any]] = {
    "the body is not folded": (
        filter,
        "indexed_condition",
        changed_sql(sql_words.indexed_condition, r"lower\(body\)", "body"),
    ),
    "values are not folded": (
        text_values,
        "text_condition",
        changed_sql(sql_words.text_condition, r"lower\((.*?)\), \{", r"\1, {"),
    ),
    "at least is more than": (text_values, "_comparison", changed_sql(text_values._comparison, ">= ", "> ")),
    "any text is a number": (text_values, "_comparison", changed_sql(text_values._comparison, r"match\(.*'\)", "1")),
    "numbers are read roughly": (engine, "SETTINGS", {"precise_float_parsing": 0}),
    "a glob's signs are wildcards": (
        text_values,
        "like_pattern",
        lambda pieces: "%".join(piece.replace("\\", r"\\") for piece in pieces),
    ),
    "the resource is read though the log has the name": (
        filter,
        "attribute_clause",
        changed_sql(attributes.attribute_clause, "NOT mapContains", "1 OR mapContains"),
    ),
    "a missing key is an empty value": (
        filter,
        "attribute_clause",
        changed_sql(attributes.attribute_clause, r"(?<!NOT )mapContains\([^)]*\) AND", ""),
    ),
    "a substring's outer words are whole": (sql_words, "inner_words", words),
    "a severity ends early": (columns, "severity_numbers", lambda _: (1, 20)),
    "an id of zeros is one": (
        filter,
        "column_clause",
        changed_sql(columns.column_clause, "AND span_id != ", "OR '' = "),
    ),
    "a dot is no line break": (sql_words, "pinned", lambda pattern: f"(?-s){pattern}"),
    "what is next to a word in an expression ends it": (
        sql_words,
        "required",
        lambda pattern: tuple(Required(each.fragments, ()) for each in regex_literals.required(pattern)),
    ),
    "the predicate's case is Unicode's": (predicate_values, "fold_case", str.lower),
    "the predicate's at most is less": (
        predicate_values,
        "COMPARE",
        {**predicate_values.COMPARE, Comparator.at_most: predicate_values.COMPARE[Comparator.less]},
    ),
    "the predicate's regular expressions ignore case": (predicate, "pinned", lambda pattern: f"(?si){pattern}"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(portions: Portions, monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    """Tests that one evaluator with a mistake finds other records than the other evaluator found without it."""
    module, name, mistaken = MISTAKES[mistake]
    of_predicate = module in (predicate, predicate_values)

    def differs(stored: Stored) -> bool:
        if of_predicate:
            return by_predicate(stored.batch) != stored.by_sql
        return portions.by_sql(stored.tenant_id, stored.batch) != stored.by_predicate

    for number in range(PORTIONS_FOR_A_MISTAKE):
        made = portions[number]
        with monkeypatch.context() as patched:
            patched.setattr(module, name, mistaken)
            if any(map(differs, made)):
                return
    pytest.fail(f"{PORTIONS_FOR_A_MISTAKE} portions of random queries do not find the mistake")
