"""Tests of the calculated false positives, the Pareto front, the recommended candidates and the searches."""

import pytest

from kit.errors import InvalidRequest
from loadtest.corpus.rows import Corpus
from loadtest.tune.candidates import ALL, Probe, bloom, none, text, tokenbf
from loadtest.tune.results import front, recommended, results
from loadtest.tune.run import Step
from loadtest.tune.study import false_positives
from loadtest.tune.suite import Words, cases, statement

WORDS = Words(
    ("info", "warn", "from"), ("alpha", "beta", "gamma"), ("r1", "r2", "r3"), ("a1", "a2", "a3"), ("of", "the")
)
CORPUS = Corpus(rows=1000, size="4k", tenants=5, seed=1, start_ns=0)


def step(candidate: str, seconds: float, share: float, number: int = 0, insert: float = 1.0) -> Step:
    return Step(round=number, candidate=candidate, index_share=share, insert_cpu=insert, seconds={"rare": seconds})


def test_a_filter_of_the_right_size_lets_few_through() -> None:
    # A filter with 10 bits per element and 7 hash functions has 0.82 % false positives.
    assert false_positives(1250 / 1024, 7, 1000) == pytest.approx(0.0082, abs=0.0001)


def test_there_are_enough_candidates_and_each_has_a_name() -> None:
    assert len(ALL) >= 30
    assert len({each.name for each in ALL}) == len(ALL)


def test_the_front_has_what_nothing_beats() -> None:
    """Tests the Pareto front, and that candidates with a large index are not recommended."""
    candidates = (none(512), tokenbf(65_536, 3, 512), tokenbf(131_072, 3, 512), text(512))
    small, large, index = (each.name for each in candidates[1:])
    steps = [step("none per 512", 4.0, 0.0), step(small, 0.2, 0.02), step(large, 0.3, 0.05), step(index, 0.01, 0.1)]
    found = results(candidates, steps)

    assert [each.name for each in front(found)] == ["none per 512", small, index]
    best = recommended(found, "tokenbf")
    assert best is not None
    assert best.name == small
    assert recommended(results(candidates, [step(large, 0.3, 0.05)]), "tokenbf") is None


def test_near_ties_go_to_the_cheaper_to_write() -> None:
    first, second = tokenbf(65_536, 3, 512), tokenbf(65_536, 5, 512)
    found = results(
        (first, second), [step(first.name, 0.100, 0.02, insert=3), step(second.name, 0.103, 0.02, insert=2)]
    )
    best = recommended(found, "tokenbf")

    assert best is not None
    assert best.name == second.name


def test_rounds_count_by_their_median_and_errors_do_not() -> None:
    candidate = tokenbf(65_536, 3, 512)
    steps = [step(candidate.name, seconds, 0.02, number) for number, seconds in enumerate((0.1, 9.0, 0.2))]
    (found,) = results((candidate,), [*steps, Step(round=3, candidate=candidate.name, error="unreachable")])

    assert found.seconds == pytest.approx(0.2)
    assert found.rounds == 3
    with pytest.raises(InvalidRequest):
        results((candidate,), [Step(round=0, candidate=candidate.name, error="unreachable")])


def test_the_suite_has_every_class_in_the_form_that_the_index_needs() -> None:
    suite = cases(WORDS)
    names = {case.name for case in suite}

    assert len(names) == len(suite)
    assert {"frequent", "rare", "absent", "phrase", "frequent AND frequent AND absent", "rare OR rare"} <= names
    sql, parameters = statement(suite[0], bloom(0.01, 512).probe, "t", CORPUS)
    assert "has(tokens(lower(body)), {w0:String})" in sql
    assert "hasToken(lower(body), {w1:String})" in sql
    assert parameters == {"w0": "info", "w1": "info"}
    assert "info" not in sql
    assert Probe.token.value.format("x") in statement(suite[0], Probe.token, "t", CORPUS)[0].replace("{w0:String}", "x")
