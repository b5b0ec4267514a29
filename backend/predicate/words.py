"""Words, phrases and wildcards in a text that `backend.language.words.spaced` has prepared."""

from collections.abc import Callable

from backend.language.nodes import WordPattern, Words, distinct_pieces
from backend.language.regexes import search_in
from backend.language.words import one_spaced
from backend.predicate.long_texts import LONG, LongTexts

WordsTest = Callable[[bytes, LongTexts], bool]
"""Says whether a result of `spaced` has the words. Takes the forms of long texts from the second argument."""


def words_test(node: Words) -> WordsTest:
    """Returns a function that is true for spaced texts that have the words next to each other.

    Linear in the text for any query.
    """
    if len(node.words) == 1 and node.words[0].is_literal:
        word = f" {node.words[0].pieces[0]} ".encode()
        return lambda text, _long: word in text
    pieces = [piece.encode() for piece in distinct_pieces(node)]
    matches = _phrase_test(node)

    def test(text: bytes, long: LongTexts) -> bool:
        # Few texts have all the pieces, so the more expensive test of words runs rarely.
        if not all(piece in text for piece in pieces):
            return False
        return matches(one_spaced(text) if len(text) < LONG else long.one_spaced(text))

    return test


def _phrase_test(node: Words) -> Callable[[bytes], bool]:
    if all(pattern.is_literal for pattern in node.words):
        phrase = f" {' '.join([pattern.pieces[0] for pattern in node.words])} ".encode()
        return lambda text: phrase in text
    return search_in(f" {' '.join([_expression(pattern) for pattern in node.words])} ")


def _expression(pattern: WordPattern) -> str:
    """Returns the expression of a word. Word characters need no escape. A lone star needs at least one character."""
    return "[^ ]*".join(pattern.pieces) if any(pattern.pieces) else "[^ ]+"
