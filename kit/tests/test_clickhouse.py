"""What ClickHouse's codes mean to whoever asked."""

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from kit.clickhouse import translate
from kit.errors import Internal, LogsieveError, QueryTooExpensive, RateLimited, Unavailable


def failure(code: int | None, text: str = "") -> DatabaseError:
    return DatabaseError(f"Code: {code}. DB::Exception: {text}", code=code)


@pytest.mark.parametrize(
    ("codes", "meaning"),
    [
        ((158, 159, 160, 241, 307, 396), QueryTooExpensive),
        ((202,), RateLimited),
        ((None, 32, 209, 210, 236, 279, 394, 516), Unavailable),
        ((60, 81), Unavailable),
        ((47, 62, 497), Internal),
    ],
)
def test_each_code_is_an_error_of_its_kind(codes: tuple[int | None, ...], meaning: type[LogsieveError]) -> None:
    assert {code: type(translate(failure(code))) for code in codes} == dict.fromkeys(codes, meaning)


@pytest.mark.parametrize("code", [60, 81])
def test_a_store_that_is_not_migrated_says_what_to_run(code: int) -> None:
    assert "`logsieve migrate`" in translate(failure(code)).detail


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("Query memory limit exceeded: would use 2.00 GiB, maximum: 1.00 GiB", QueryTooExpensive),
        ("(total) memory limit exceeded: would use 6.10 GiB, maximum: 6.00 GiB. OvercommitTracker", Unavailable),
        ("Memory limit (total) exceeded: would use 6.10 GiB, maximum: 6.00 GiB", Unavailable),
    ],
)
def test_a_full_server_is_not_a_search_that_asks_too_much(text: str, meaning: type[LogsieveError]) -> None:
    assert type(translate(failure(241, text))) is meaning
