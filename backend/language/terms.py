"""Makes nodes of text terms: words, phrases, wildcards, substrings."""

import re

from backend.language.escapes import split_stars
from backend.language.fields import BODY, Field
from backend.language.limits import check_pieces
from backend.language.nodes import Exists, Leaf, MatchAll, Substring, WordPattern, Words
from backend.language.words import fold_case, words
from kit.errors import InvalidQuery

# A star is part of the word in which it occurs. NUL stands for it, because query text cannot have NUL.
_STAR = "\0"
_WORD_WITH_STARS = re.compile(f"[a-z0-9\x80-\U0010ffff{_STAR}]+")


def bare_term(run: str, position: int, field: Field = BODY) -> Leaf:
    """Returns the node of an unquoted term in the body, or after `field:~`."""
    pieces = split_stars(run, position)
    if pieces == ("", ""):
        return MatchAll() if field == BODY else Exists(field)
    if len(pieces) == 3 and not pieces[0] and not pieces[2]:
        return Substring(fold_case(pieces[1]), field)
    found = _WORD_WITH_STARS.findall(fold_case(_STAR.join(pieces)))
    patterns = tuple(WordPattern(tuple(word.split(_STAR))) for word in found)
    if not any(any(pattern.pieces) for pattern in patterns):
        raise _no_words("".join(pieces), position)
    check_pieces(sum(len(pattern.pieces) for pattern in patterns), position)
    return Words(patterns, field)


def phrase(text: str, position: int, field: Field = BODY) -> Leaf:
    """Returns the node of a quoted phrase, given without its quotes."""
    found = words(text)
    if not found:
        raise _no_words(text, position)
    check_pieces(len(found), position)
    return Words(tuple(WordPattern((word,)) for word in found), field)


def _no_words(text: str, position: int) -> InvalidQuery:
    if not text.strip():
        return InvalidQuery("a term is missing between the quotes", position, ("a word", "a phrase"))
    return InvalidQuery(
        f"{text[:40]!r} has no letters or digits, so it is not a word: to find the characters themselves write them "
        "between stars, as in *!!!*",
        position,
        ("a word", "a substring such as *!!!*"),
    )
