"""Conditions on words, phrases and substrings in a text expression, written so that indexes over its words prune."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backend.language.nodes import Regex, Substring, WordPattern, Words
from backend.language.regex_literals import required
from backend.language.regexes import pinned
from backend.language.words import fold_case, inner_words, words
from backend.store.compile.parameters import Parameters

_SEPARATOR = r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]"
"""ASCII characters other than letters and digits: the separators of `words.words`."""
_WORD = r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]"
_MAX_TOKENS = 8
"""Largest number of hasToken conditions per phrase or expression.

The longest words are taken, because they are the rarest; a further condition decides exactly. Expressions with more
alternatives are not looked up.
"""

_MIN_FRAGMENT = 3
"""Shortest piece, in characters, that is looked up in the dictionary. Shorter pieces are in too many words."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """Texts to look up in an index on words: whole words, the longest first, or without any a piece of a word."""

    tokens: tuple[str, ...]
    fragment: str | None


def lookups(node: Words | Substring | Regex) -> tuple[Lookup, ...]:
    """Returns look-ups of which a matching text fulfils at least one. Empty if an index cannot help."""
    match node:
        case Regex():
            alternatives = required(node.pattern)
            max_tokens = _MAX_TOKENS // max(1, len(alternatives))
            found = [_lookup(each.tokens, each.fragments, max_tokens) for each in alternatives if max_tokens]
        case Substring():
            found = [_lookup(inner_words(node.text), words(node.text), _MAX_TOKENS)]
        case Words():
            whole = [word.pieces[0] for word in node.words if word.is_literal]
            found = [_lookup(whole, [piece for word in node.words for piece in word.pieces], _MAX_TOKENS)]
    return tuple(found) if all(each.tokens or each.fragment for each in found) else ()


def _lookup(tokens: Iterable[str], pieces: Iterable[str], max_tokens: int) -> Lookup:
    picked = sorted(set(tokens), key=lambda token: (-len(token), token))[:max_tokens]
    longest = max(pieces, key=len, default="")
    return Lookup(tuple(picked), longest if not picked and len(longest) >= _MIN_FRAGMENT else None)


def all_words_hint(text: str, needed: Iterable[str], parameters: Parameters) -> str:
    """Returns a hint that `text` has all of these words, and "" for fewer than two words.

    A text index then reads only granules in which one row has all of the words. With one hasToken condition for each
    word, it also reads granules that have the words in different rows. The hint changes no result, and indexes of other
    types ignore it. It must not be in an OR, where servers up to 26.2.4 combine hasAllTokens with other text indexes
    wrongly (#99505).
    """
    tokens = _lookup(needed, (), _MAX_TOKENS).tokens
    if len(tokens) < 2:
        return ""
    return f"indexHint(hasAllTokens(lower({text}), [{', '.join(map(parameters.add, tokens))}]))"


def indexed_condition(
    text: str, node: Words | Substring | Regex, found: Sequence[Lookup], parameters: Parameters
) -> str:
    """Returns the condition that `text` matches, in parentheses, with conditions that an index over its words answers.

    `found` are the node's lookups; the index is over the words of `lower(text)`. Whole words are looked up by hasToken,
    which either index answers. A piece of a word is looked up by LIKE, which the text index answers from its
    dictionary. Without the text index LIKE costs one more pass over a body that has to be read anyway.
    """
    lookups = [" AND ".join(_lookup_conditions(text, each, parameters)) for each in found]
    conditions = ["(" + " OR ".join(lookups) + ")"] if len(lookups) > 1 else lookups
    is_all = isinstance(node, Substring) and [each.fragment for each in found] == [node.text]
    if not (is_all or _is_one_word(node)):
        conditions.append(_condition(text, node, parameters))
    return "(" + " AND ".join(conditions) + ")"


def _lookup_conditions(text: str, lookup: Lookup, parameters: Parameters) -> list[str]:
    if lookup.fragment is not None:
        return [f"lower({text}) LIKE {parameters.add(f'%{lookup.fragment}%')}"]
    return [f"hasToken(lower({text}), {parameters.add(token)})" for token in lookup.tokens]


def _condition(text: str, node: Words | Substring | Regex, parameters: Parameters) -> str:
    if isinstance(node, Regex):
        return f"match({text}, {parameters.add(pinned(node.pattern))})"
    return text_condition(text, node, parameters)


def text_condition(text: str, node: Words | Substring, parameters: Parameters) -> str:
    """Returns SQL that is true if the expression `text` has the words or characters.

    It is one condition, so that the SQL of 256 of them stays short.
    """
    folded = f"lower({text})"
    if isinstance(node, Substring):
        return f"position({folded}, {parameters.add(fold_case(node.text))}) > 0"
    if _is_one_word(node):
        return f"hasToken({folded}, {parameters.add(node.words[0].pieces[0])})"
    return f"match({folded}, {parameters.add(words_expression(node.words))})"


def _is_one_word(node: Words | Substring | Regex) -> bool:
    return isinstance(node, Words) and len(node.words) == 1 and node.words[0].is_literal


def words_expression(patterns: Sequence[WordPattern]) -> str:
    """Returns an RE2 expression over folded text that finds the words next to each other.

    Word characters need no escape. An end with a star needs no border.
    """
    first, last = patterns[0].pieces, patterns[-1].pieces
    opens_left = first[0] == "" and any(first)
    opens_right = last[-1] == "" and any(last)
    inner = f"{_SEPARATOR}+".join(
        _word_expression(pattern, index == 0 and opens_left, index == len(patterns) - 1 and opens_right)
        for index, pattern in enumerate(patterns)
    )
    return ("" if opens_left else f"(?:^|{_SEPARATOR})") + inner + ("" if opens_right else f"(?:{_SEPARATOR}|$)")


def _word_expression(pattern: WordPattern, opens_left: bool, opens_right: bool) -> str:
    if not any(pattern.pieces):
        return f"{_WORD}+"
    pieces = pattern.pieces[1 if opens_left else 0 : -1 if opens_right else None]
    return f"{_WORD}*".join(pieces)
