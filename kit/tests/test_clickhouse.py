"""Tests which errors ClickHouse's codes become."""

import pytest
from clickhouse_connect.driver.exceptions import DatabaseError

from kit.clickhouse import server_lacks_memory, translate
from kit.errors import Internal, LogsieveError, RateLimited, Unavailable


def failure(code: int | None, text: str = "") -> DatabaseError:
    return DatabaseError(f"Code: {code}. DB::Exception: {text}", code=code)


@pytest.mark.parametrize(
    ("codes", "meaning"),
    [
        ((202,), RateLimited),
        ((158, 159, 160, 241, 307, 396), Unavailable),
        ((None, 32, 209, 210, 236, 279, 394, 516), Unavailable),
        ((60, 81, 243, 473), Unavailable),
        ((47, 62, 497), Internal),
    ],
)
def test_each_code_is_an_error_of_its_kind(codes: tuple[int | None, ...], meaning: type[LogsieveError]) -> None:
    assert {code: type(translate(failure(code))) for code in codes} == dict.fromkeys(codes, meaning)


@pytest.mark.parametrize("code", [60, 81])
def test_a_store_that_is_not_migrated_says_what_to_run(code: int) -> None:
    assert "`logsieve migrate`" in translate(failure(code)).detail


def test_a_locked_table_says_for_what_to_wait() -> None:
    refused = failure(473, "Locking attempt for ALTER on logs_0 has timed out! (120000 ms)")
    assert "wait until it has ended, then try again" in translate(refused).detail


@pytest.mark.parametrize(
    ("text", "is_the_server"),
    [
        ("Query memory limit exceeded: would use 2.00 GiB, maximum: 1.00 GiB", False),
        ("(total) memory limit exceeded: would use 6.10 GiB, maximum: 6.00 GiB. OvercommitTracker", True),
        ("Memory limit (total) exceeded: would use 6.10 GiB, maximum: 6.00 GiB", True),
    ],
)
def test_a_full_server_is_not_a_search_that_needs_too_much(text: str, is_the_server: bool) -> None:
    assert server_lacks_memory(failure(241, text)) is is_the_server
    assert ("no memory left" in translate(failure(241, text)).detail) is is_the_server
