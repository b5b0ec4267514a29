"""Parses query text to a tree with lark (LALR, contextual lexer). Nodes are built while parsing, without recursion."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar, cast

from lark import Lark, Token, v_args
from lark.exceptions import UnexpectedInput

from backend.language import terms, values
from backend.language.escapes import quoted, slashes_unescaped, split_stars, unquoted
from backend.language.fields import BODY, Field, field_named
from backend.language.limits import check_text
from backend.language.nodes import Bound, Comparator, Exists, Leaf, MatchAll, Node, Or, Regex, every, without
from backend.language.stats_forms import StatsAt, StatsForms
from backend.language.stats_nodes import StatsQuery
from backend.language.syntax_errors import explained
from backend.language.tokens import TokenRules, start_of
from kit.errors import InvalidQuery

Value = Callable[[Field], Node]
"""The value part of a term. It takes the field as an argument, because LALR reduces a group before its field."""


@dataclass(frozen=True, slots=True)
class _Excluded:
    """The value part of a term for the records that do not match `excluded`."""

    excluded: Value

    def __call__(self, field: Field) -> Node:
        return without(self.excluded(field))


_Parsed = tuple[Node, StatsAt | None]

_R = TypeVar("_R")


def parse(text: str) -> Node:
    """Returns the query as a tree.

    Raises only InvalidQuery, with the position of the error. If the text has words, the error also has a query that
    finds these words next to each other. A text with `| stats` is refused at its pipe.
    """
    return _read(text, _query)


def parse_stats(text: str) -> StatsQuery:
    """Returns the syntax tree of a query with `| stats`.

    Raises InvalidQuery as `parse` does, and at the end of a text without `| stats`.
    """
    return _read(text, lambda parsed: _stats_query(text, parsed))


def parse_saved(text: str) -> Node | StatsQuery:
    """Returns the syntax tree: a StatsQuery if the text has `| stats`, otherwise a Node. Raises InvalidQuery as `parse`
    does."""
    return _read(text, lambda parsed: parsed[0] if parsed[1] is None else StatsQuery(parsed[0], parsed[1].stats))


def tokens_of(text: str) -> Iterator[Token]:
    """Yields the tokens of a text that `parse` accepts, in order."""
    return _parser().parse_interactive(text).iter_parse()


def _read(text: str, meaning: Callable[[_Parsed], _R]) -> _R:
    check_text(text)
    try:
        return meaning(_parsed(text))
    except InvalidQuery as error:
        error.search_as_text = as_text(text)
        raise


def _query(parsed: _Parsed) -> Node:
    node, stats = parsed
    if stats is not None:
        raise InvalidQuery(
            "| stats computes numbers, but this request returns records: remove | stats and what follows, or send the "
            "text to /api/v1/logs/stats, as `logsieve logs stats` does",
            stats.position,
            ("the end of the query",),
        )
    return node


def _stats_query(text: str, parsed: _Parsed) -> StatsQuery:
    node, stats = parsed
    if stats is None:
        raise InvalidQuery(
            "this query has no | stats: add it with a function, as in error | stats count() by service",
            len(text),
            ("| stats count()",),
        )
    return StatsQuery(node, stats.stats)


def as_text(text: str) -> str | None:
    """Returns the query that finds the words of `text` next to each other, or None if no query can."""
    phrase = quoted(text.strip())
    try:
        check_text(phrase)
        _parsed(phrase)
    except InvalidQuery:
        return None
    return phrase


def _parsed(text: str) -> _Parsed:
    try:
        # lark types the result as a Tree; the transformer below makes it what its start rule returns.
        return cast(_Parsed, _parser().parse(text))
    except UnexpectedInput as error:
        raise explained(text, error) from None


@cache
def _parser() -> Lark:
    return Lark.open(
        "grammar.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="contextual",
        transformer=_Builder(),
        postlex=TokenRules(),
        propagate_positions=True,
    )


@v_args(inline=True)
class _Builder(StatsForms):
    """Builds nodes, with one method for each alias of the grammar."""

    def start(self, *parts: Node | StatsAt | None) -> _Parsed:
        # The last part is always for `| stats`, and None if the text has none. A query before it may be missing.
        *matching, stats = parts
        return cast(_Parsed, (matching[0] if matching else MatchAll(), stats))

    def any_of(self, *nodes: Node) -> Node:
        return _either(nodes)

    def all_of(self, *nodes: Node) -> Node:
        return every(nodes)

    def excluded(self, node: Node) -> Node:
        return without(node)

    def text(self, token: Token) -> Leaf:
        return terms.bare_term(token, start_of(token))

    def phrase(self, token: Token) -> Leaf:
        return terms.phrase(unquoted(token, start_of(token)), start_of(token))

    def regex(self, token: Token) -> Leaf:
        return Regex(slashes_unescaped(token))

    def body_text(self, token: Token) -> Leaf:
        if token.startswith(("<", ">", "[", "{", "=")):
            raise InvalidQuery(
                "the body takes words and no comparison; put text that starts with > or < in quotes",
                start_of(token),
                ("a word", "a quoted phrase", "a regular expression"),
            )
        return Exists(BODY) if token.strip("*") == "" else terms.bare_term(token, start_of(token))

    def field(self, token: Token, value: Value) -> Node:
        name = token[:-1]
        field = field_named(unquoted(name, start_of(token)) if name.startswith('"') else name, start_of(token))
        return value(field)

    def any_value(self, *choices: Value) -> Value:
        return lambda field: _either(tuple(value(field) for value in choices))

    def all_values(self, *parts: Value) -> Value:
        return lambda field: every(tuple(value(field) for value in parts))

    def excluded_value(self, value: Value) -> Value:
        # Two exclusions cancel each other, so that a long row of them is no deep nest of calls.
        return value.excluded if isinstance(value, _Excluded) else _Excluded(value)

    def value(self, token: Token) -> Value:
        return lambda field: values.plain_value(field, token, start_of(token))

    def whole_value(self, token: Token) -> Value:
        text = unquoted(token, start_of(token))
        return lambda field: values.whole_value(field, text, start_of(token))

    def comparison(self, comparator: Token, operand: Token) -> Value:
        text = _operand(operand)
        return lambda field: values.comparison(field, Comparator(str(comparator)), text, start_of(operand))

    def range(self, opening: Token, low: Token, high: Token, closing: Token) -> Value:
        low_bound = _bound(low, opening == "[")
        high_bound = _bound(high, closing == "]")
        return lambda field: values.range_between(field, low_bound, high_bound, start_of(opening))

    def words_inside(self, token: Token) -> Value:
        if len(token) > 2 and token.startswith("/") and token.endswith("/"):
            raise InvalidQuery(
                "regular expressions search only the body: write /…/ without a field",
                start_of(token),
                ("a word", "a quoted phrase", "time*"),
            )

        def words(field: Field) -> Node:
            values.check_takes_words(field, start_of(token))
            return terms.bare_term(token, start_of(token), field)

        return words

    def phrase_inside(self, token: Token) -> Value:
        text = unquoted(token, start_of(token))

        def words(field: Field) -> Node:
            values.check_takes_words(field, start_of(token))
            return terms.phrase(text, start_of(token), field)

        return words


def _operand(token: Token) -> str:
    if token.type == "QUOTED":
        return unquoted(token, start_of(token))
    pieces = split_stars(token, start_of(token))
    if len(pieces) > 1:
        raise InvalidQuery(
            "a comparison takes no *; put a value that contains one in quotes",
            start_of(token),
            ("a number", "a value in quotes"),
        )
    return pieces[0]


def _bound(token: Token, inclusive: bool) -> Bound | None:
    return None if token == "*" else Bound(_operand(token), inclusive)


def _either(nodes: tuple[Node, ...]) -> Node:
    return Or(tuple(part for node in nodes for part in (node.operands if isinstance(node, Or) else (node,))))
