"""Tests that the steps of a query count all that a star costs in the expressions of both evaluators."""

import pytest
import re2

from backend.language.nodes import Words
from backend.language.parse import parse
from backend.language.steps import (
    GLOB_STAR_STEPS,
    SCAN_STEPS,
    STAR_STEPS,
    TextSteps,
    expression_steps,
    glob_steps,
    star_steps,
    text_steps,
)
from backend.store.compile.words import words_expression


def program_of(query: str) -> int:
    """Returns the number of instructions of RE2's program for a query of one term."""
    node = parse(query)
    assert isinstance(node, Words)
    return int(re2.compile(words_expression(node.words)).programsize)


@pytest.mark.parametrize("stars", [1, 2, 20, 100])
@pytest.mark.parametrize(
    ("first", "star", "last"), [("x-", "*-", "y"), ("a", "*b", ""), ("a-", "*b-", "c"), ("a-", "b*-", "c")]
)
def test_a_star_between_characters_counts_as_many_steps_as_it_has(first: str, star: str, last: str, stars: int) -> None:
    query = first + star * stars + last
    without_stars = program_of(query.replace("*", "z"))
    assert program_of(query) - without_stars <= STAR_STEPS * stars
    assert star_steps(query) == STAR_STEPS * stars
    assert expression_steps(parse(query)) == STAR_STEPS * stars


@pytest.mark.parametrize("query", ["time*", "*out", "*me ou*", "a-b", "*frequ*", "-time*"])
def test_other_terms_have_no_steps(query: str) -> None:
    assert expression_steps(parse(query)) == 0


def test_the_steps_of_all_terms_are_added() -> None:
    assert expression_steps(parse("a*b OR (-c*d*e f)")) == 3 * STAR_STEPS


@pytest.mark.parametrize("glob", ["a*b", "*a*b", "a*b*", "ab*" * 100 + "c", "é*" * 100 + "é", "a**b"])
def test_a_star_of_a_glob_counts_as_many_steps_as_it_has(glob: str) -> None:
    inner = glob.strip("*")
    program = re2.compile("(?s)^" + inner.replace("*", ".*") + "$").programsize
    characters = len(inner.replace("*", "").encode())
    assert program <= characters + glob_steps(glob) + 4  # the two anchors and the ends of the program
    assert glob_steps(glob) == GLOB_STAR_STEPS * inner.count("*")


@pytest.mark.parametrize(
    ("query", "body", "values"),
    [
        ("*", 0, 0),
        ("f:* OR -f:x OR service:x", 0, 0),
        ("word", SCAN_STEPS, 0),
        ("*a-b*", SCAN_STEPS, 0),
        ("a*b", 3 * SCAN_STEPS + STAR_STEPS, 0),
        ("f:~*a-b* OR -f:~word", 0, 2 * SCAN_STEPS),
        ('f:~"b b c"', 0, 3 * SCAN_STEPS),
        ("f:~a*b", 0, 3 * SCAN_STEPS + STAR_STEPS),
        ("f:a*b f:<5 f:[a TO b]", 0, 3 * SCAN_STEPS),
        ("word f:~word*", SCAN_STEPS, 2 * SCAN_STEPS),
    ],
)
def test_a_term_that_reads_a_whole_text_counts(query: str, body: int, values: int) -> None:
    assert text_steps(parse(query)) == TextSteps(body, values)


def test_an_expression_counts_for_the_body() -> None:
    assert text_steps(parse("/a[ab]{20}c/")) == TextSteps(expression_steps(parse("/a[ab]{20}c/")), 0)
