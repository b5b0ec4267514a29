"""Explains the parser's errors in words that a user understands."""

import re

from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from kit.errors import InvalidQuery

_SHOWN: dict[str, str] = {
    "TEXT": "a word",
    "QUOTED": "a quoted phrase",
    "REGEX": "a regular expression between slashes",
    "FIELD": "a field such as service:checkout",
    "VALUE": "a value",
    "GROUPED": "a value",
    "BOUND": "a value or *",
    "COMPARATOR": "a comparison such as >=500",
    "RANGE_OPEN": "a range such as [100 TO 500]",
    "RANGE_CLOSE": "] or }",
    "TILDE": "~ and a word",
    "LPAR": "(",
    "RPAR": ")",
    "_AND": "AND",
    "_OR": "OR",
    "_NOT": "NOT",
    "_TO": "TO",
    "CALL": "a function such as count()",
    "NAME": "a field name",
    "TIME": "time(5m)",
    "DURATION": "a width such as 5m",
    "COMMA": ",",
    "_BY": "by and fields",
    "DIRECTION": "asc or desc",
    "_SORT": "| sort",
    "_LIMIT": "| limit",
    "NUMBER": "a number of groups",
    "$END": "the end of the query",
}
"""Names of terminals in `expected`. Terminals that another one already stands for are left out."""

_IN_RANGE = {"_TO", "BOUND", "RANGE_CLOSE"}
_MISSING_IN_STATS: dict[str, str] = {
    "NAME": "a field name is missing",
    "CALL": "a function is missing: write it with its parentheses, as in count()",
    "DURATION": "the width of the time buckets is missing: write it as in time(5m)",
    "NUMBER": "the number of groups is missing: write it as in | limit 20",
}
_AFTER_CALL = {"COMMA", "_BY", "_SORT", "_LIMIT"}
_PIPE = re.compile(r"\|\s*(?:stats|sort|limit)\b")
_WHITE_SPACE = " \t\r\n\f\v"


def explained(text: str, error: UnexpectedInput) -> InvalidQuery:
    """Returns the error for the user, at the first character that does not fit."""
    position, names = len(text), set[str]()
    if isinstance(error, UnexpectedToken):
        names = set(error.expected)
        if error.token.type != "$END":
            position = error.token.start_pos or 0
    elif isinstance(error, UnexpectedCharacters):
        position = error.pos_in_stream or 0
        names = set(error.allowed or ())
    if position >= len(text):
        return InvalidQuery(_missing_at_end(names), len(text), _expected(names))
    detail, expected = _misplaced(text, position, names)
    return InvalidQuery(detail, position, expected or _expected(names))


def _missing_at_end(names: set[str]) -> str:
    if "RPAR" in names:
        return "a parenthesis is not closed: write ) at the end of the group"
    if names & _IN_RANGE:
        return "a range is not finished: write it as [100 TO 500]"
    if missing := _missing_in_stats(names):
        return missing
    if "TILDE" in names:
        return "a value is missing after the field"
    if "VALUE" in names:
        return "a value is missing at the end of the query"
    return "a term is missing at the end of the query"


def _misplaced(text: str, position: int, names: set[str]) -> tuple[str, tuple[str, ...]]:
    """Returns the fault, and the right forms if the parser's own list would not help."""
    character = text[position]
    if names & _IN_RANGE:
        return "a range is written [100 TO 500]; put a value that starts with [ or { in quotes", ()
    if character == '"':
        return "this quote is not closed: write a second one at the end of the phrase", ('"',)
    if character == ")":
        return _misplaced_parenthesis(text, position, names), ()
    if in_stats := _misplaced_in_stats(text, position, names):
        return in_stats, ()
    for keyword in ("AND", "OR"):
        if text.startswith(keyword, position):
            return f"{keyword} needs a term on both sides; to search for the word write {keyword.lower()}", ()
    return f"{character} cannot stand here; put text that starts with it in quotes", ()


def _misplaced_in_stats(text: str, position: int, names: set[str]) -> str | None:
    if found := _PIPE.match(text, position):
        return f"{found[0]} cannot stand here: | stats, | sort and | limit follow the query once each, in this order"
    if missing := _missing_in_stats(names):
        return missing
    if names & _AFTER_CALL:
        return f"{_word(text[position:])} cannot stand here in | stats"
    return None


def _word(text: str) -> str:
    """Returns the first word of a text, or the number of its first character if that is a space of Unicode, which the
    grammar does not take for white space."""
    return f"U+{ord(text[0]):04X}" if text[0].isspace() else text.split(maxsplit=1)[0][:40]


def _missing_in_stats(names: set[str]) -> str | None:
    return next((missing for name, missing in _MISSING_IN_STATS.items() if name in names), None)


def _misplaced_parenthesis(text: str, position: int, names: set[str]) -> str:
    if "$END" in names:
        return "this ) has no ( before it: remove it, or put text with parentheses in quotes"
    if text[:position].rstrip(_WHITE_SPACE).endswith("("):
        return "a term is missing between the parentheses"
    return "a term is missing before this parenthesis"


def _expected(names: set[str]) -> tuple[str, ...]:
    if "NAME" in names:
        names = names - {"QUOTED"}
    shown = tuple(dict.fromkeys(shown for name, shown in _SHOWN.items() if name in names))
    return shown or (_SHOWN["$END"],)
