"""Words, phrases and substrings in a text expression, such that indexes over its words prune."""

from collections.abc import Sequence

from backend.language.nodes import Regex, Substring, WordPattern, Words
from backend.language.regex_literals import required
from backend.language.regexes import pinned
from backend.language.words import fold_case, inner_words, words
from backend.search.compile.parameters import Parameters

_SEPARATOR = r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]"
"""Everything ASCII that is neither letter nor digit: what `words.words` splits at."""
_WORD = r"[^\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]"
_MOST_TOKENS = 8
"""hasToken conditions per phrase; its longest words are the rarest, and the expression decides in the end."""

_LEAST_FRAGMENT = 3
"""Characters. Shorter pieces are in too many words for a look at the dictionary to pay."""


def indexed_condition(text: str, node: Words | Substring | Regex, parameters: Parameters) -> str:
    """Whether `text` matches, with conditions that an index over the words of `lower(text)` answers; in parentheses.

    Whole words are asked for by hasToken, which either index answers. A piece of a word is asked for by LIKE, which the
    text index answers from its dictionary; it costs others one more pass over a body that has to be read anyway.
    """
    tokens = _picked(required_tokens(node))
    conditions = [f"hasToken(lower({text}), {parameters.add(token)})" for token in tokens]
    fragment = None if tokens else required_fragment(node)
    if fragment is not None:
        conditions.append(f"lower({text}) LIKE {parameters.add(f'%{fragment}%')}")
    if not (_is_one_word(node) or (isinstance(node, Substring) and fragment == node.text)):
        conditions.append(_condition(text, node, parameters))
    return "(" + " AND ".join(conditions) + ")"


def _condition(text: str, node: Words | Substring | Regex, parameters: Parameters) -> str:
    if isinstance(node, Regex):
        return f"match({text}, {parameters.add(pinned(node.pattern))})"
    return text_condition(text, node, parameters)


def text_condition(text: str, node: Words | Substring, parameters: Parameters) -> str:
    """Whether the expression `text` has the words or characters: one condition, so that 256 of them stay short."""
    folded = f"lower({text})"
    if isinstance(node, Substring):
        return f"position({folded}, {parameters.add(fold_case(node.text))}) > 0"
    if _is_one_word(node):
        return f"hasToken({folded}, {parameters.add(node.words[0].pieces[0])})"
    return f"match({folded}, {parameters.add(words_expression(node.words))})"


def _is_one_word(node: Words | Substring | Regex) -> bool:
    return isinstance(node, Words) and len(node.words) == 1 and node.words[0].is_literal


def required_fragment(node: Words | Substring | Regex) -> str | None:
    """The longest piece that a word of a matching text must have; None where none is long enough to be rare."""
    match node:
        case Regex():
            pieces = required(node.pattern).fragments
        case Substring():
            pieces = words(node.text)
        case Words():
            pieces = tuple(piece for word in node.words for piece in word.pieces)
    longest = max(pieces, key=len, default="")
    return longest if len(longest) >= _LEAST_FRAGMENT else None


def required_tokens(node: Words | Substring | Regex) -> tuple[str, ...]:
    """The words that a text must have, whole, to match; in order, each once."""
    if isinstance(node, Regex):
        return required(node.pattern).tokens
    if isinstance(node, Substring):
        return tuple(dict.fromkeys(inner_words(node.text)))
    return tuple(dict.fromkeys(word.pieces[0] for word in node.words if word.is_literal))


def words_expression(patterns: Sequence[WordPattern]) -> str:
    """The words next to each other as an RE2 expression over folded text.

    Word characters need no escaping. An end that a star leaves open needs no border.
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


def _picked(tokens: tuple[str, ...]) -> list[str]:
    return sorted(tokens, key=lambda token: (-len(token), token))[:_MOST_TOKENS]
