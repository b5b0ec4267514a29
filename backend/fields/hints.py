"""Explains why a query probably found nothing: an unknown field, other letter case, or an operator read as a word."""

import asyncio
import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from backend.fields.equals_signs import has_equals_signs, with_colons
from backend.fields.likely_names import likely_name
from backend.fields.names import Counted, query_names
from backend.fields.statements import FieldFound, counted_fields, values_in_any_case
from backend.language.fields import BODY, Field, Kind, Source, field_name, field_named
from backend.language.likely_operators import likely_operators, may_have_operators
from backend.language.nodes import And, Equals, Leaf, MatchAll, Node, Not, Or, Regex
from backend.language.parse import parse
from backend.language.print import print_query
from backend.logs.hint import Hint
from backend.store.execute import Executor
from backend.store.query_threads import QueryThreads
from backend.store.scope import Scope
from kit.errors import InvalidQuery, LogsieveError
from schema.clickhouse.fields_rollup import MAX_FIELDS, MAX_TEXT_BYTES

MAX_HINTS: Final = 3
MAX_LEAVES: Final = 8
"""Largest number of terms of one query that are checked. Each equality may cost one statement."""

SECONDS: Final = 5.0
"""Longest time, in seconds, that an empty page waits for hints that need the log store. Each statement for a hint may
wait for a slot of the tenant, and run as long as a search."""

_IN_EVERY_RECORD: Final = frozenset({Kind.body, Kind.number, Kind.hex_id, Kind.severity})
"""Kinds of fields for which every record has a value. Such a field is never reported as unknown."""


class HintService:
    """Finds hints. Parses and compares query text on the threads for query text, not on the event loop."""

    def __init__(self, executor: Executor, queries: QueryThreads) -> None:
        self._executor = executor
        self._queries = queries

    async def find(self, scope: Scope, text: str, node: Node) -> list[Hint]:
        """Returns at most MAX_HINTS hints.

        If the log store fails or takes longer than SECONDS, raises no error, and leaves out the hints that need the log
        store.
        """
        hints: list[Hint] = []
        with suppress(LogsieveError, TimeoutError):
            if may_have_operators(text):
                hints += await self._queries.run(scope.tenant_id, lambda: _about_operators(text, node))
            async with asyncio.timeout(SECONDS):
                await self._add_about_fields(hints, scope, text, node)
        return hints[:MAX_HINTS]

    async def _add_about_fields(self, hints: list[Hint], scope: Scope, text: str, node: Node) -> None:
        leaves = [leaf for leaf in _required(node) if not isinstance(leaf, MatchAll | Regex) and leaf.field != BODY]
        spaced = _names_before_spaces(text)
        if len(hints) >= MAX_HINTS or not (leaves or spaced or has_equals_signs(text)):
            return
        counted = (await self._executor.run(counted_fields(scope, MAX_FIELDS))).rows
        found = await self._queries.run(
            scope.tenant_id, lambda: list(_shown(_about_fields(text, node, spaced, leaves[:MAX_LEAVES], counted)))
        )
        for each in found:
            if len(hints) >= MAX_HINTS:
                return
            if isinstance(each, Hint):
                hints.append(each)
                continue
            leaf, sources = each
            values = await self._executor.run(values_in_any_case(scope, leaf.field.name, sources, leaf.value))
            if values.rows and values.rows[0].value != leaf.value:
                in_other_case = partial(_in_other_case, node, leaf, values.rows[0].value)
                hints.append(await self._queries.run(scope.tenant_id, in_other_case))


def _about_operators(text: str, node: Node) -> list[Hint]:
    return [Hint(detail=meant.detail, query=_valid(meant.query)) for meant in likely_operators(text, node)]


def _about_fields(
    text: str, node: Node, spaced: Sequence[str], leaves: Sequence[Leaf], counted: Sequence[FieldFound]
) -> Iterator[Hint | tuple[Equals, list[Source]]]:
    """Yields hints about names, and equalities whose value may exist in another letter case.

    Each equality comes with the sources of its field. `counted` are the fields that were counted at insert, which are
    all fields if there are fewer than MAX_FIELDS, except those with long names.
    """
    known = [Counted(Field(Source(each.source), each.field), each.records) for each in counted]
    names = [name for name, _ in query_names(known)]
    if (meant := with_colons(text, names)) is not None:
        yield Hint(
            detail="= only separates words; write a colon to compare a field, as in name:value", query=_valid(meant)
        )
    for name in spaced:
        if name in names:
            yield Hint(
                detail=f"the query searches for the word {name}, because a space follows its colon; write the value "
                "directly after the colon",
                query=_valid(_without_space(text, name)),
            )
    fields, unknown = {each.field for each in known}, set[Field]()
    for leaf in leaves:
        assert not isinstance(leaf, MatchAll | Regex)
        sources = [source for source in _sources(leaf.field) if Field(source, leaf.field.name) in fields]
        if not sources and leaf.field.kind not in _IN_EVERY_RECORD:
            # A field gets only one hint, even if several terms name it.
            if leaf.field not in unknown and len(leaf.field.name.encode()) <= MAX_TEXT_BYTES:
                unknown.add(leaf.field)
                yield _unknown(node, leaf.field, names, is_certain=len(counted) < MAX_FIELDS)
        elif isinstance(leaf, Equals) and leaf.field.kind is Kind.text:
            yield leaf, sources


def _shown(
    found: Iterator[Hint | tuple[Equals, list[Source]]],
) -> Iterator[Hint | tuple[Equals, list[Source]]]:
    """Yields what was found, up to hint number MAX_HINTS, so that no names are compared for hints that nobody sees."""
    hints = 0
    for each in found:
        yield each
        hints += isinstance(each, Hint)
        if hints == MAX_HINTS:
            return


def _required(node: Node) -> Iterator[Leaf]:
    """Yields the leaves that are not excluded."""
    match node:
        case Not():
            return
        case And(operands) | Or(operands):
            for operand in operands:
                yield from _required(operand)
        case _:
            yield node


def _sources(field: Field) -> tuple[Source, ...]:
    return (Source.attributes, Source.resource) if field.source is Source.either else (field.source,)


def _unknown(node: Node, field: Field, names: list[str], *, is_certain: bool) -> Hint:
    """Returns the hint about a field that was not counted. If `is_certain` is false, a rare field may not have been
    counted."""
    requested = field_name(field)
    meant = likely_name(field.name, names)
    found = "no record in this range has" if is_certain else "few or no records in this range have"
    if meant is None or meant == requested:
        return Hint(detail=f"{found} the field {requested}", query=None)
    return Hint(
        detail=f"{found} the field {requested}; did you mean {meant}?",
        query=_valid(print_query(_renamed(node, field, field_named(meant, 0)))),
    )


def _in_other_case(node: Node, leaf: Equals, value: str) -> Hint:
    found = dataclasses.replace(leaf, value=value)
    # Rare values are not counted, so that records may also have the value of the query.
    return Hint(
        detail=f"some records in this range have {field_name(leaf.field)}:{value}, which {leaf.value} does not find; "
        "values are compared with their case",
        query=_valid(print_query(_replaced(node, lambda each: found if each == leaf else each))),
    )


def _renamed(node: Node, field: Field, other: Field) -> Node:
    """Returns the tree in which all terms of `field` are about `other`."""

    def renamed(leaf: Leaf) -> Leaf:
        if isinstance(leaf, MatchAll | Regex) or leaf.field != field:
            return leaf
        return dataclasses.replace(leaf, field=other)

    return _replaced(node, renamed)


def _replaced(node: Node, other: Callable[[Leaf], Leaf]) -> Node:
    """Returns the tree with what `other` returns for each leaf."""
    match node:
        case Not(operand):
            return Not(_replaced(operand, other))
        case And(operands):
            return And(tuple(_replaced(operand, other) for operand in operands))
        case Or(operands):
            return Or(tuple(_replaced(operand, other) for operand in operands))
        case _:
            return other(node)


def _names_before_spaces(text: str) -> list[str]:
    """Returns the words that end with a colon, in text without quotes."""
    return [] if '"' in text else [word[:-1] for word in text.split() if word.endswith(":") and len(word) > 1]


def _without_space(text: str, name: str) -> str:
    """Returns the text without the white space after the colon of the word that is this name and a colon."""
    return re.sub(rf"(?<!\S){re.escape(name)}:\s+", lambda _: f"{name}:", text, count=1)


def _valid(query: str) -> str | None:
    try:
        parse(query)
    except InvalidQuery:
        return None
    return query
