from dataclasses import replace

from backend.store.execute import ANSWERS
from backend.store.limits import AnswerTooLarge, QueryLimits
from kit.errors import RateLimited

LIMITS = QueryLimits(seconds=30.0, memory=1_000_000, rows=5_000, read=7_000, result=9_000)


def test_every_limit_that_is_set_says_its_value_and_what_to_do() -> None:
    texts = {code: str(LIMITS.hit(code)) for code in (158, 159, 160, 241, 307, 396)}

    assert all(text.count(": ") == 1 and len(text) > 40 for text in texts.values())
    assert "30 s" in texts[159]
    assert "5,000 rows" in texts[158]
    assert "7,000 bytes" in texts[307]
    assert LIMITS.hit(60) is LIMITS.hit(None) is None


def test_a_statement_may_limit_its_answer_to_less_but_not_to_more() -> None:
    for requested, held_to in ((100, 100), (10_000, 9_000), (None, 9_000)):
        limits = LIMITS.of(replace(ANSWERS, result_bytes=requested))
        assert limits.settings(reads_all=False)["max_result_bytes"] == held_to
        assert f"{held_to:,} bytes" in str(limits.hit(396))


def test_a_statement_is_held_to_its_share_of_memory_and_its_error_says_how_much() -> None:
    limits = LIMITS.of(replace(ANSWERS, settings={"max_memory_usage": 1_000}))
    assert limits.settings(reads_all=False)["max_memory_usage"] == 1_000
    assert "1,000 bytes of memory" in str(limits.hit(241))


def test_a_statement_may_run_for_the_rest_of_a_page_and_its_error_names_the_limit_of_the_page() -> None:
    for left, held_to in ((7, 7), (31, 30.0)):
        limits = LIMITS.of(replace(ANSWERS, settings={"max_execution_time": left}))
        assert limits.settings(reads_all=False)["max_execution_time"] == limits.statement_seconds == held_to
        assert "longer than 30 s" in str(limits.hit(159))


def test_an_answer_beyond_its_share_may_be_requested_again_when_fewer_searches_run() -> None:
    shared = replace(ANSWERS, settings={"max_result_bytes": 1_000})
    limits = LIMITS.of(shared)
    assert limits.settings(reads_all=False)["max_result_bytes"] == 1_000
    assert isinstance(limits.hit(396), RateLimited)
    assert "1,000 bytes, the limit of each" in str(limits.hit(396))
    # Whoever asked for a small answer reads it in smaller pieces.
    assert isinstance(LIMITS.of(replace(shared, result_bytes=500)).hit(396), AnswerTooLarge)
    assert isinstance(LIMITS.of(replace(ANSWERS, settings={"max_result_bytes": 9_000})).hit(396), AnswerTooLarge)


def test_a_page_is_not_held_to_the_rows_it_never_reads() -> None:
    assert "max_rows_to_read" not in LIMITS.settings(reads_all=False)
    assert LIMITS.settings(reads_all=True)["max_rows_to_read"] == 5_000
    overflow = {name: mode for name, mode in LIMITS.settings(reads_all=True).items() if name.endswith("_mode")}
    assert set(overflow.values()) == {"throw"}, "never an answer that lacks rows"
