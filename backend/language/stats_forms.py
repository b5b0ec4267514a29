"""Builds the nodes of `| stats` from its tokens. Each method belongs to the rule of the grammar with its name."""

from typing import Any, Final, NamedTuple

from lark import Token, Transformer, v_args

from backend.language.durations import duration_ns
from backend.language.escapes import unquoted
from backend.language.fields import BODY, BUILT_IN, Field, Kind, Source, field_named
from backend.language.nodes import Node
from backend.language.stats_nodes import DEFAULT_LIMIT, MAX_CALLS, MAX_FIELDS, MAX_LIMIT, Call, Function, Sort, Stats
from backend.language.tokens import start_of
from kit.errors import InvalidQuery

_WITHOUT_FIELD: Final = frozenset({Function.count, Function.rate})
_OF_VALUES: Final = frozenset({Function.uniq})
"""Functions that take a field with values of any kind. Every other function with a field takes numbers only."""
_NUMBERS: Final = tuple(name for name, kind in BUILT_IN.items() if kind is Kind.number)
_FORMS: Final = tuple(
    "count_if(query)" if each is Function.count_if else f"{each}()" if each in _WITHOUT_FIELD else f"{each}(field)"
    for each in Function
)


class At(NamedTuple):
    """A part of `| stats` that is checked against other parts, with its position in the text."""

    value: Any
    position: int


class StatsAt(NamedTuple):
    """The numbers, and the position of the pipe before `stats`."""

    stats: Stats
    position: int


@v_args(inline=True)
class StatsForms(Transformer[Token, Any]):
    """Builds the nodes of everything after the pipe."""

    def stats(self, pipe: Token, *parts: Any) -> StatsAt:
        *calls, by, sort, limit = parts
        if len(calls) > MAX_CALLS:
            raise InvalidQuery(
                f"stats has {len(calls)} functions: write at most {MAX_CALLS}",
                calls[MAX_CALLS].position,
                ("fewer functions",),
            )
        _check_unique(calls, "function")
        fields, interval_ns = by or ((), None)
        found = tuple(call.value for call in calls)
        for later in (sort, limit):
            if later is not None and not fields:
                raise InvalidQuery(
                    "sort and limit arrange groups, and there are none: name a field after by, as in by service",
                    later.position,
                    ("by and a field",),
                )
        order = None if sort is None else _sort(sort.value, found, fields)
        groups = DEFAULT_LIMIT if limit is None else limit.value
        return StatsAt(Stats(found, fields, interval_ns, order, groups), start_of(pipe))

    def call(self, token: Token, name: At | None) -> At:
        function = _function(token)
        if function in _WITHOUT_FIELD:
            if name is not None:
                raise InvalidQuery(
                    f"{function} takes no field: write {function}(), or count_if(field:*) for records with the field",
                    name.position,
                    (")",),
                )
            return At(Call(function), start_of(token))
        if name is None:
            raise InvalidQuery(
                f"{function} needs a field, as in {function}(latency_ms)",
                start_of(token) + len(token),
                ("a field name",),
            )
        check = _check_has_values if function in _OF_VALUES else _check_numeric
        check(name.value, name.position)
        return At(Call(function, name.value), start_of(token))

    def count_if(self, token: Token, condition: Node) -> At:
        return At(Call(Function.count_if, condition), start_of(token))

    def name(self, token: Token) -> At:
        text = unquoted(token, start_of(token)) if token.type == "QUOTED" else str(token)
        return At(field_named(text, start_of(token)), start_of(token))

    def time(self, token: Token, duration: Token) -> At:
        return At(duration_ns(str(duration), start_of(duration)), start_of(token))

    def by(self, *keys: At) -> tuple[tuple[Field, ...], int | None]:
        fields = [key for key in keys if isinstance(key.value, Field)]
        times = [key for key in keys if not isinstance(key.value, Field)]
        for field in fields:
            _check_has_values(field.value, field.position)
        if len(fields) > MAX_FIELDS:
            raise InvalidQuery(
                f"by has {len(fields)} fields: write at most {MAX_FIELDS}",
                fields[MAX_FIELDS].position,
                ("fewer fields",),
            )
        _check_unique(fields, "field")
        if len(times) > 1:
            raise InvalidQuery("by can have only one time(…): remove the others", times[1].position, ("a field name",))
        return tuple(field.value for field in fields), times[0].value if times else None

    def sort_name(self, name: At) -> At:
        return name

    def sort(self, key: At, direction: Token | None) -> At:
        return At((key, direction != "asc"), key.position)

    def limit(self, token: Token) -> At:
        text = str(token)
        if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= MAX_LIMIT):
            raise InvalidQuery(
                f"{text[:40]!r} is not a number of groups: write a whole number from 1 to {MAX_LIMIT}",
                start_of(token),
                (f"a number from 1 to {MAX_LIMIT}",),
            )
        return At(int(text), start_of(token))


def _function(token: Token) -> Function:
    name = str(token)[:-1]
    if name not in Function.__members__:
        raise InvalidQuery(
            f"{name[:40]} is not a function of stats: write one of {', '.join(_FORMS)}", start_of(token), _FORMS
        )
    return Function(name)


def _check_unique(parts: list[At], what: str) -> None:
    for place, part in enumerate(parts):
        if part.value in [each.value for each in parts[:place]]:
            raise InvalidQuery(f"this {what} is given twice: remove one", part.position, (f"another {what}",))


def _check_has_values(field: Field, position: int) -> None:
    if field == BODY:
        raise InvalidQuery(
            "bodies cannot be grouped or counted by value; name an attribute, or a field such as service",
            position,
            ("a field name",),
        )


def _check_numeric(field: Field, position: int) -> None:
    if field.source is Source.record and field.kind is not Kind.number:
        raise InvalidQuery(
            f"{field.name} is not a number; functions of numbers take an attribute, or one of {', '.join(_NUMBERS)}",
            position,
            ("an attribute", *_NUMBERS),
        )


def _sort(requested: tuple[At, bool], calls: tuple[Call, ...], fields: tuple[Field, ...]) -> Sort:
    """Returns the order. Raises InvalidQuery for a key that is neither a function of `calls` nor one of `fields`.

    A bare name is a field if it is among `fields`, and otherwise a function without a field, such as `count`.
    """
    (key, position), is_descending = requested
    if isinstance(key, Field):
        bare = Function.__members__.get(key.name) if key.source is Source.either else None
        if key not in fields and bare in _WITHOUT_FIELD:
            key = Call(bare)
    if key not in calls and key not in fields:
        raise InvalidQuery(
            "sort takes one of the functions of stats, as it is written there, or one of the fields after by",
            position,
            ("a function of stats", "a field after by"),
        )
    return Sort(key, is_descending)
