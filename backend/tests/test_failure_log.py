"""Tests which lines a flood of failed requests writes."""

import pytest
from structlog.testing import capture_logs

from backend.failure_log import LOG_SECONDS, FailureLog
from kit.errors import Internal, Unavailable

ROUTE = "/api/v1/logs/fields/{field}/values"


def test_a_flood_of_failures_writes_one_line_a_second_for_each_code() -> None:
    now = 0.0
    failures = FailureLog(lambda: now)
    with capture_logs() as lines:
        for _ in range(100):
            failures.failed(ROUTE, Unavailable("ClickHouse did not answer"))
        failures.failed(ROUTE, Internal("an internal error"), ValueError("a cause"))
        now = LOG_SECONDS
        failures.failed(ROUTE, Unavailable("ClickHouse did not answer"))
    assert [(each["log_level"], each["route"], each["unlogged"]) for each in lines] == [
        ("warning", ROUTE, 0),
        ("error", ROUTE, 0),
        ("warning", ROUTE, 99),
    ]


@pytest.mark.parametrize("started", [0.0, 1e6])
def test_the_first_failure_is_logged_whatever_the_clock_says(started: float) -> None:
    with capture_logs() as lines:
        FailureLog(lambda: started).failed(None, Unavailable("ClickHouse did not answer"))
    assert len(lines) == 1
