"""Tests of grouping: every message has one pattern, counts add up, and the queries match the members."""

import random
from collections.abc import Sequence

import pytest

from backend.language.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_TERMS
from backend.language.nodes import And, MatchAll, Words
from backend.language.parse import parse
from backend.language.print import print_query
from backend.language.words import words
from backend.patterns.groups import find_patterns, whole_words
from backend.patterns.query_text import pattern_queries
from backend.patterns.sample import PARTS, Sample
from backend.patterns.service import day_before
from backend.patterns.statements import BODY_BYTES, SampledMessage
from backend.store.scope import TimeRange
from kit.clock import DAY_NS
from logsieve_native import Templates, group_patterns
from tests.chance import SEED, repetitions

PIECES = ("error", "in", "blk_12", "née7", "10.0.0.1", '"x"', "a=5,b", "of\xa0it", "it\u2026", "user:ann", "-", "<*>")


def messages(bodies: list[str]) -> list[SampledMessage]:
    return [SampledMessage(1_000 - place, place, body) for place, body in enumerate(bodies)]


def sample(bodies: list[str]) -> Sample:
    return Sample(messages(bodies), TimeRange(1_001 - len(bodies), 1_001), len(bodies))


def cut(body: str) -> str:
    """Returns the beginning of a body as the statement returns it."""
    return body.encode()[:BODY_BYTES].decode(errors="replace")


def phrases_of(query: str) -> list[str]:
    """Returns the phrases that a query requires, each with one space between its words."""
    node, found = parse(query), []
    for phrase in node.operands if isinstance(node, And) else (node,):
        assert isinstance(phrase, Words)
        found.append(" ".join(word.pieces[0] for word in phrase.words))
    return found


@pytest.mark.parametrize("number", range(repetitions(100)))
def test_every_message_has_one_pattern_whose_query_finds_it(number: int) -> None:
    chance = random.Random(f"{SEED} {number}")
    bodies = [" ".join(chance.choices(PIECES, k=chance.randrange(1, 8))) for _ in range(300)]
    found = find_patterns(sample(bodies), [], 300).patterns

    assert sum(each.records for each in found) == len(bodies)
    assert all(sum(each.counts) == each.records and len(each.counts) == PARTS for each in found)
    assert [each.records for each in found] == sorted((each.records for each in found), reverse=True)
    for each in found:
        made = pattern_queries(MatchAll(), each.template)
        if made is None:
            continue
        body = f" {' '.join(words(bodies[each.example.id]))} "
        assert all(f" {phrase} " in body for phrase in phrases_of(made[0]))


def test_queries_keep_the_users_query_and_drop_parts_of_words() -> None:
    template = ("Received", "block", "blk_<*>", "of", "size", "<*>")
    find, exclude = pattern_queries(parse("service:a OR service:b"), template) or ("", "")

    assert find == 'service:(a OR b) "received block blk" "of size"'
    assert parse(exclude) == parse('(service:a OR service:b) -("received block blk" "of size")')
    assert pattern_queries(MatchAll(), ("<*>", "v<*>")) is None


def test_a_pattern_of_the_day_before_is_not_new() -> None:
    found = find_patterns(sample(["disk full", "user 5 left"]), messages(["user 7 left"]), 9)
    assert {" ".join(each.template): each.was_before for each in found.patterns} == {
        "disk full": False,
        "user <*> left": True,
    }


def test_only_the_most_frequent_patterns_get_a_template_and_are_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Recorded:
        def __init__(self, templates: Templates) -> None:
            self._templates = templates

        def template(self, index: int) -> list[str]:
            made.append(index)
            return self._templates.template(index)

    def group(texts: Sequence[str]) -> tuple[Recorded, list[int]]:
        templates, indexes = group_patterns(texts)
        assert len(templates) == 3
        with pytest.raises(IndexError):
            templates.template(3)
        return Recorded(templates), indexes

    monkeypatch.setattr("backend.patterns.groups.group_patterns", group)
    found = find_patterns(sample(["disk full", "user 5 left", "user 6 left", "no route"]), [], 2)
    assert (found.number, [" ".join(each.template) for each in found.patterns]) == (3, ["user <*> left", "disk full"])
    assert made == [1, 0]


def test_a_cut_message_loses_its_last_word() -> None:
    assert whole_words("a b") == "a b"
    assert whole_words("ab " + "c" * (BODY_BYTES - 3)) == "ab "
    for separator in ' /_"\t':
        assert whole_words(f"ab née{separator}" + "cé" * BODY_BYTES) == f"ab née{separator}"
    assert whole_words(cut("é" * BODY_BYTES)) == "é" * (BODY_BYTES // 2) + "<*>"
    assert whole_words(cut("a" + "é" * BODY_BYTES)) == "a" + "é" * (BODY_BYTES // 2 - 1) + "<*>"


@pytest.mark.parametrize(
    ("start", "phrases"),
    [
        ('{"level":"error","msg":"payment-failed","data":"', ["level error msg payment failed data"]),
        ("GET /api/v1/items?token=", ["get api", "items token"]),
        ("ok, ", ["ok"]),
        ("ok", []),
        ("", []),
        ("\n ", []),
    ],
)
def test_the_query_of_a_cut_message_finds_it(start: str, phrases: list[str]) -> None:
    bodies = [start + "".join(random.Random(seed).choices("abcdé", k=2 * BODY_BYTES)) for seed in range(5)]
    found = find_patterns(sample([*map(cut, bodies), "another message"]), [], 9)

    for each in found.patterns:
        made = pattern_queries(MatchAll(), each.template)
        if each.example.id == len(bodies):
            continue
        assert each.template
        assert phrases == [] if made is None else phrases_of(made[0]) == phrases
        for phrase in phrases:
            assert all(f" {phrase} " in f" {' '.join(words(body))} " for body in bodies)
    assert found.number == (2 if phrases else len(bodies) + 1)


def test_the_day_before_does_not_overlap_with_a_long_range() -> None:
    assert day_before(TimeRange(5 * DAY_NS, 5 * DAY_NS + 9)) == TimeRange(4 * DAY_NS, 4 * DAY_NS + 9)
    assert day_before(TimeRange(5 * DAY_NS, 9 * DAY_NS)) == TimeRange(4 * DAY_NS, 5 * DAY_NS)


def test_a_query_near_its_limit_has_patterns_without_queries() -> None:
    for near in ("x" * (MAX_CHARACTERS - 10), "a " * MAX_TERMS, "(a OR -" * MAX_DEPTH + "b" + ")" * MAX_DEPTH):
        assert pattern_queries(parse(near), ["payment", "failed"]) is None


def test_queries_of_patterns_are_valid_up_to_the_limits_of_a_query() -> None:
    template = [part for number in range(8) for part in (f"word{number}", "<*>")]
    for terms in range(MAX_TERMS - 20, MAX_TERMS + 1):
        made = pattern_queries(parse("severity:[1 TO 2] " + "a " * (terms - 2)), template)
        assert (made is None) == (terms + 8 > MAX_TERMS)
        assert [print_query(parse(each)) for each in made or ()] == list(made or ())
    for depth in range(MAX_DEPTH - 4, MAX_DEPTH + 1):
        made = pattern_queries(parse("(a OR -" * depth + "b" + ")" * depth), template)
        assert [print_query(parse(each)) for each in made or ()] == list(made or ())
