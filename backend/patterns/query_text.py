"""Writes queries that find the records of a pattern, or leave them out."""

from collections.abc import Iterator, Sequence
from typing import Final

from backend.language.escapes import quoted
from backend.language.nodes import MatchAll
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.words import inner_words
from kit.errors import InvalidQuery

WILDCARD: Final = "<*>"
MAX_PHRASES: Final = 32
"""Largest number of phrases that a pattern adds to a query, so that the query can still have terms of its own."""
MAX_WORDS: Final = 32
"""Largest number of words in one of these phrases."""


def pattern_queries(query: str, template: Sequence[str]) -> tuple[str, str] | None:
    """Returns two queries: one finds the pattern's records among the records of `query`, the other finds the rest of
    the records of `query`.

    The first query finds every record of the pattern. It may find records of other patterns too, because it compares
    words only. Returns None if the template has no whole word outside its wildcards, or if one of the queries would
    exceed the limits of a query.
    """
    phrases = list(dict.fromkeys(_phrases(template)))[:MAX_PHRASES]
    if not phrases:
        return None
    node = parse(query)
    before = "" if isinstance(node, MatchAll) else f"({print_query(node)}) "
    words = " ".join(phrases)
    try:
        return print_query(parse(before + words)), print_query(parse(f"{before}-({words})"))
    except InvalidQuery:
        return None


def _phrases(template: Sequence[str]) -> Iterator[str]:
    # The start and the end of a message are borders of a word, like white space.
    for constant in f" {' '.join(template)} ".split(WILDCARD):
        found = inner_words(constant)[:MAX_WORDS]
        if found:
            yield quoted(" ".join(found))
