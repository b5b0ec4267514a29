"""Tests that long values are prepared once for all terms, and match like short ones."""

from collections.abc import Callable

import pytest

from backend.language.parse import parse
from backend.language.words import fold_case, one_spaced, spaced
from backend.predicate import long_texts
from backend.predicate.long_texts import KEPT, LONG, LongTexts, _Kept
from backend.predicate.predicate import compile_predicate
from backend.predicate.rows import Rows
from backend.predicate.tests.matching import among, rows_matching
from backend.predicate.tests.test_predicate import bodies
from schema.log_columns import LogColumns


def values(*texts: str) -> LogColumns:
    columns = bodies(*[""] * len(texts))
    columns.attributes = [{"f": text} for text in texts]
    return columns


@pytest.mark.parametrize(
    ("query", "prepare"),
    [
        (" OR ".join(f"f:~*q{number}*" for number in range(100)), "fold_case"),
        (" OR ".join(f"f:~q{number}" for number in range(100)), "spaced"),
        (" OR ".join(f'f:~"B {number} b"' for number in range(100)), "one_spaced"),
        (" OR ".join(f"f:<{number}" for number in range(100)), "number_in"),
    ],
)
def test_a_long_value_is_prepared_once_for_all_terms(query: str, prepare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[object] = []
    original = getattr(long_texts, prepare)

    def counted(text: object) -> object:
        prepared.append(text)
        return original(text)

    monkeypatch.setattr(long_texts, prepare, counted)
    digits = " ".join(map(str, range(100)))
    rows = Rows(values(f"b, {digits} b" * LONG, f"É, {digits}; b" * LONG))
    assert among(compile_predicate(parse(query)), rows) == []
    assert among(compile_predicate(parse(f"-({query})")), rows) == [0, 1]
    assert len(prepared) == 2


@pytest.mark.parametrize("length", [LONG - 20, 3 * LONG, 100_000])
@pytest.mark.parametrize("filling", [", ", "b--", "É", "漢 "])
def test_a_long_value_matches_like_a_short_one(length: int, filling: str) -> None:
    queries = ["f:~*reset-by*", "f:~reset", 'f:~"reset by peer"', "f:~res*t", "f:~*É,-Reset*", "f:>5", "f:<5"]
    for text in ("É, Reset-by  PEER", "é, reset peer by", "reset", "7"):
        columns = values(f"É, {text} ", f"É, {text} " + filling * (length // len(filling)))
        for query in queries:
            assert len(rows_matching(compile_predicate(parse(query)), columns)) in (0, 2), query


@pytest.mark.parametrize(("text", "is_number"), [("1" * 5_000, True), ("0" * 5_000, False), ("1" * 5_000 + "x", None)])
def test_a_long_number_is_compared(text: str, is_number: bool | None) -> None:
    columns = values(text)
    assert rows_matching(compile_predicate(parse("f:>5")), columns) == ([0] if is_number else [])
    assert rows_matching(compile_predicate(parse("f:<5")), columns) == ([0] if is_number is False else [])


@pytest.mark.timeout(60)
def test_a_message_of_long_values_is_read_by_hundreds_of_terms_in_seconds() -> None:
    """Tests values whose preparation for each term takes minutes."""
    columns = values("É, b  b " * 2**19)
    for query in (
        " OR ".join(f"f:~*q{number}*" for number in range(256)),
        " OR ".join(['f:~"b b"' + f" -f:~q{number}" for number in range(128)]),
        " OR ".join(f'f:~"É b b {"b " * (number % 7)}É b b b"' for number in range(128)),
    ):
        rows_matching(compile_predicate(parse(query)), columns)


def test_the_forms_of_few_texts_are_kept() -> None:
    kept = _Kept(fold_case)
    texts = [f"{number} A " * (KEPT // 16) for number in range(9)]
    for text in texts:
        assert kept.form_of(text) == fold_case(text)
        assert sum(len(text) for text, _ in kept._forms.values()) <= KEPT
    assert kept.form_of(texts[-1]) is kept.form_of(texts[-1])
    longest = "A" * (KEPT + 1)
    assert kept.form_of(longest) is kept.form_of(longest)


FORMS: dict[str, Callable[[str], object]] = {"folded": fold_case, "one_spaced": lambda text: one_spaced(spaced(text))}


@pytest.mark.parametrize("form", FORMS)
def test_a_text_that_replaces_another_one_in_memory_has_its_own_form(form: str) -> None:
    long = LongTexts()
    for number in range(2_000):
        text = f"{number % 7} A  " * LONG
        made = long.folded(text) if form == "folded" else long.one_spaced(long.spaced(text))
        assert made == FORMS[form](text)
