import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.language.numbers import NUMBER_PATTERN, is_number, number_in
from backend.language.words import _AT_ONCE, fold_case, inner_words, one_spaced, spaced, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("!!! --", ()),
        ("Connection:Error", ("connection", "error")),
        ("a_b\tC1", ("a", "b", "c1")),
        ("Été à_b", ("Été", "à", "b")),
        ("a\u3000b\x85c", ("a\u3000b\x85c",)),
        ("🚀x \x7fy\0z", ("🚀x", "y", "z")),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


@given(st.text("aZ0 _-\0\n\x7fé\u3000\x85🚀"))
def test_spaced_text_has_the_words_and_nothing_else(text: str) -> None:
    found = words(text)
    assert one_spaced(spaced(text)).decode() == (f" {' '.join(found)} " if found else " ")
    assert len(spaced(text)) == len(text.encode()) + 2


@pytest.mark.parametrize("filling", ["a b ", "a  b", " ", "-_ ", "é \0", "abc"])
@pytest.mark.parametrize("more", range(-3, 4))
def test_a_text_of_any_length_has_single_spaces(filling: str, more: int) -> None:
    """Tests texts that are changed in several parts, which may begin and end inside a run of spaces."""
    text = (filling * (2 * _AT_ONCE))[: 2 * _AT_ONCE + more] + " b  c"
    assert one_spaced(spaced(text)).decode() == f" {' '.join(words(text))} "


def test_only_ascii_letters_fold() -> None:
    assert fold_case("AZaz É\u0130ẞ\u212a") == "azaz É\u0130ẞ\u212a"


@given(st.text("aAzZ[@`{É\u0130\u212a\ud800\U0001f680\0"))
def test_a_text_folds_like_each_of_its_characters(text: str) -> None:
    assert fold_case(text) == "".join(each.lower() if each.isascii() else each for each in text)


@pytest.mark.parametrize(
    ("text", "expected"), [("a b c", ("b",)), ("a b", ()), (" a b-", ("a", "b")), ("abc", ()), ("", ())]
)
def test_inner_words_have_both_borders(text: str, expected: tuple[str, ...]) -> None:
    assert inner_words(text) == expected


@pytest.mark.parametrize("text", ["0", "007", "-1", "1.5", "-0.0", "1e5", "1.5E-10", "2e+3", "9" * 400])
def test_numbers(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize(
    "text",
    ["", "+1", ".5", "1.", "1e", "e5", "0x1", "1_000", " 1", "1\n", "inf", "nan", "\u0661", "1,5", "--1", "1.2.3"],
)
def test_not_numbers(text: str) -> None:
    assert not is_number(text)


@given(st.text("01-.eE+x", max_size=12))
def test_numbers_are_those_of_the_pattern_that_sql_uses(text: str) -> None:
    assert is_number(text) == (re.fullmatch(NUMBER_PATTERN.strip("^$"), text) is not None)
    assert number_in(text) == (float(text) if is_number(text) else None)
