"""Tests of the calculated false positives, the Pareto front, the recommended candidates and the searches."""

import pytest

from loadtest.corpus.rows import Corpus
from loadtest.tune.candidates import ALL, Candidate, Probe, bloom, none, text, tokenbf
from loadtest.tune.run import medians
from loadtest.tune.study import CandidateResult, false_positives, front, recommendation
from loadtest.tune.suite import Words, cases, statement

WORDS = Words(
    ("info", "warn", "from"), ("alpha", "beta", "gamma"), ("r1", "r2", "r3"), ("a1", "a2", "a3"), ("of", "the")
)
CORPUS = Corpus(rows=1000, size="4k", tenants=5, seed=1, start_ns=0)


def measured(candidate: Candidate, seconds: float, share: float, insert: float = 1.0) -> CandidateResult:
    return CandidateResult(
        name=candidate.name, kind=candidate.kind, type=candidate.type, seconds=seconds, by_case={"rare": seconds},
        index_share=share, build_seconds=0.0, insert_cpu=insert, merge_cpu=0.0,
    )  # fmt: skip


def test_a_filter_of_the_right_size_lets_few_through() -> None:
    # A filter with 10 bits per element and 7 hash functions has 0.82 % false positives.
    assert false_positives(1250 / 1024, 7, 1000) == pytest.approx(0.0082, abs=0.0001)


def test_there_are_enough_candidates_and_each_has_a_name() -> None:
    assert len(ALL) >= 30
    assert len({each.name for each in ALL}) == len(ALL)


def test_the_front_has_what_nothing_beats() -> None:
    """Tests the Pareto front, and that candidates with a large index are not recommended."""
    nothing, small = measured(none(512), 4.0, 0.0), measured(tokenbf(65_536, 3, 512), 0.2, 0.02)
    large, index = measured(tokenbf(131_072, 3, 512), 0.3, 0.05), measured(text(512), 0.01, 0.1)
    found = [nothing, small, large, index]

    assert front(found) == [nothing, small, index]
    assert recommendation(found, "tokenbf") == small
    assert recommendation([large], "tokenbf") is None


def test_near_ties_go_to_the_cheaper_to_write() -> None:
    first = measured(tokenbf(65_536, 3, 512), 0.100, 0.02, insert=3)
    second = measured(tokenbf(65_536, 5, 512), 0.103, 0.02, insert=2)

    assert recommendation([first, second], "tokenbf") == second


def test_rounds_count_by_their_median() -> None:
    candidate = tokenbf(65_536, 3, 512)
    found = medians([measured(candidate, seconds, 0.02, seconds) for seconds in (0.1, 9.0, 0.2)])

    assert found.seconds == pytest.approx(0.2)
    assert (found.by_case, found.insert_cpu) == ({"rare": 0.2}, 0.2)


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
