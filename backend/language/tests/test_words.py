import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.language.numbers import is_number
from backend.language.words import fold_case, inner_words, one_spaced, spaced, words


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
    assert one_spaced(spaced(text)).decode() == f" {' '.join(words(text))} "
    assert len(spaced(text)) == len(text.encode()) + 2


def test_only_ascii_letters_fold() -> None:
    assert fold_case("AZaz É\u0130ẞ\u212a") == "azaz É\u0130ẞ\u212a"


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
