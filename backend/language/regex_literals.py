"""Finds the whole words and pieces of words that every text with a match of an RE2 expression must have.

In doubt it requires nothing. This holds for syntax that it does not know and for flags that fold case by Unicode,
because `(?i)k` also finds the Kelvin sign.

Syntax: https://github.com/google/re2/wiki/Syntax.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from backend.language.words import fold_case, words


@dataclass(frozen=True, slots=True)
class Required:
    """Texts, folded, that every matching text contains. There is at least one.

    `tokens` are whole words, `fragments` parts of words, in order.
    """

    tokens: tuple[str, ...]
    fragments: tuple[str, ...]


class _Gap(Enum):
    """A stretch of a matching text for which the expression gives no exact characters."""

    border = "the edge of a word: a separator, or an end of the text"
    anything = "anything, also nothing"


_Item = str | _Gap
"""One exact character, folded, or a gap."""
_Items = list[_Item]

MAX_GROUPS = 100
"""Largest number of groups. More groups may be nested deeper than Python's recursion limit."""
MAX_UNICODE = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)

_REPETITION = re.compile(r"\{(?P<least>[0-9]+)(?:,[0-9]*)?\}")
_CLASS = re.compile(r"\[\^?\]?(?:\[:\^?[a-z]+:\]|\\Q|\\.|[^\]\\])*\]", re.DOTALL)
_GROUP_OPENING = re.compile(r"\((?:\?P?<[A-Za-z0-9_]+>|\?:)?")
_UNICODE_CLASS = re.compile(r"\\[pP](?:\{[^}]*\}|.)", re.DOTALL)
_HEX = re.compile(r"\\x(?:(?P<two>[0-9A-Fa-f]{2})|\{(?P<any>[0-9A-Fa-f]+)\})")
_ANCHORS = ("^", "$")
"""Anchors. With the flag `m` they also match at line ends, which are separators and so borders too."""
_ESCAPES: dict[str, tuple[_Item, ...]] = {
    **{r"\a": ("\a",), r"\f": ("\f",), r"\t": ("\t",), r"\n": ("\n",), r"\r": ("\r",), r"\v": ("\v",)},
    **dict.fromkeys((r"\A", r"\z", r"\s"), (_Gap.border,)),
    **dict.fromkeys((r"\d", r"\D", r"\w", r"\W", r"\S"), (_Gap.anything,)),
    # `\b` and `\B` require nothing of words, because RE2 does not count a letter such as é as a word character.
    **dict.fromkeys((r"\b", r"\B"), ()),
}


class _NotUnderstood(Exception):
    """The expression has syntax from which no requirement can be derived."""


def required(pattern: str) -> tuple[Required, ...]:
    """Returns what each alternative requires. A matching text fulfils at least one of them. Empty if nothing is
    required. The pattern is one that `regexes.check_regex` accepted, without the prefix of `regexes.pinned`.
    Alternatives count at the top of the expression, or in a group that is the whole expression: `foo|bar` and
    `(foo|bar)`.
    """
    if pattern.count("(") > MAX_GROUPS:
        return ()
    try:
        alternatives = _of_one_group(pattern) or _whole(pattern)
    except _NotUnderstood:
        return ()
    found = tuple(_required(items) for items in alternatives)
    return found if all(each.tokens or each.fragments for each in found) else ()


def _required(items: _Items) -> Required:
    tokens: dict[str, None] = {}
    fragments: dict[str, None] = {}
    for run, is_whole in _runs(items):
        (tokens if is_whole else fragments)[run] = None
    return Required(tuple(tokens), tuple(fragments))


def _whole(pattern: str) -> list[_Items]:
    alternatives, end = _alternatives(pattern, 0)
    return alternatives if end == len(pattern) else []


def _of_one_group(pattern: str) -> list[_Items]:
    """If the whole expression is one group, returns the group's alternatives; otherwise an empty list."""
    opening = _GROUP_OPENING.match(pattern)
    if opening is None or pattern.startswith("?", opening.end()):
        return []
    alternatives, end = _alternatives(pattern, opening.end())
    return alternatives if end == len(pattern) - 1 else []


def _runs(items: _Items) -> Iterator[tuple[str, bool]]:
    """Yields runs of word characters, each with true if both its ends are borders of words."""
    run, left_is_border = "", False
    for item in [*items, _Gap.anything]:
        if isinstance(item, str) and words(item):
            run += item
            continue
        is_border = item is not _Gap.anything
        if run:
            yield run, left_is_border and is_border
        run, left_is_border = "", is_border


def _alternatives(pattern: str, index: int) -> tuple[list[_Items], int]:
    """Returns the items of each alternative up to the end or an unmatched `)`, and the index where they end."""
    items, index = _sequence(pattern, index)
    alternatives = [items]
    while index < len(pattern) and pattern[index] == "|":
        items, index = _sequence(pattern, index + 1)
        alternatives.append(items)
    return alternatives, index


def _sequence(pattern: str, index: int) -> tuple[_Items, int]:
    """Returns the items up to the end, a bar or an unmatched `)`, and the index where they end."""
    items: _Items = []
    while index < len(pattern) and pattern[index] not in "|)":
        atom, index = _atom(pattern, index)
        lowest, index = _repeated(pattern, index)
        if lowest == 0:
            items.append(_Gap.anything)
        elif lowest is None:
            items += atom
        elif atom == [_Gap.border] or (len(atom) == 1 and isinstance(atom[0], str) and not words(atom[0])):
            items.append(_Gap.border)
        else:
            items += [_Gap.anything, *atom, _Gap.anything]
    return items, index


def _atom(pattern: str, index: int) -> tuple[_Items, int]:
    character = pattern[index]
    if character == "\\":
        return _escape(pattern, index)
    if character == "(":
        return _group(pattern, index)
    if character == "[":
        found = _CLASS.match(pattern, index)
        if found is None or "\\Q" in found[0]:
            raise _NotUnderstood
        return [_Gap.anything], found.end()
    if character in _ANCHORS:
        return [_Gap.border], index + 1
    if pattern.startswith("{,", index):
        raise _NotUnderstood  # plain characters in this version of RE2, but not in every version
    if character == ".":
        return [_Gap.anything], index + 1
    return [fold_case(character)], index + 1


def _group(pattern: str, index: int) -> tuple[_Items, int]:
    """Returns the group's items. A group with alternatives requires nothing."""
    opening = _GROUP_OPENING.match(pattern, index)
    assert opening is not None, "called at a parenthesis"
    if pattern.startswith("?", opening.end()):
        raise _NotUnderstood  # flags; `i` would change the meaning of the characters
    alternatives, end = _alternatives(pattern, opening.end())
    if end == len(pattern):
        raise _NotUnderstood
    return (alternatives[0] if len(alternatives) == 1 else [_Gap.anything]), end + 1


def _escape(pattern: str, index: int) -> tuple[_Items, int]:
    pair = pattern[index : index + 2]
    if pair in _ESCAPES:
        return [*_ESCAPES[pair]], index + 2
    if found := _UNICODE_CLASS.match(pattern, index):
        return [_Gap.anything], found.end()
    if found := _HEX.match(pattern, index):
        code = int(found["two"] or found["any"], 16)
        if code > MAX_UNICODE or code in _SURROGATES:
            raise _NotUnderstood
        return [fold_case(chr(code))], found.end()
    if len(pair) < 2 or pair[1].isalnum() or not pair[1].isascii():
        raise _NotUnderstood
    return [pair[1]], index + 2


def _repeated(pattern: str, index: int) -> tuple[int | None, int]:
    """Reads the quantifiers at `index`. Returns the smallest number of repetitions, and the index after them.

    The number is None where there is no quantifier.
    """
    lowest: int | None = None
    while index < len(pattern):
        if pattern[index] in "*?":
            once, end = 0, index + 1
        elif pattern[index] == "+":
            once, end = 1, index + 1
        elif found := _REPETITION.match(pattern, index):
            once, end = int(found["least"]), found.end()
        else:
            break
        lowest = once if lowest is None else min(lowest, once)
        index = end
        if pattern.startswith("?", index):
            index += 1  # a lazy quantifier, which does not change what must occur
    return lowest, index
