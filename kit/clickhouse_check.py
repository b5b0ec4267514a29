"""Checks that a ClickHouse server accepts our user. If not, says what to do."""

from typing import Final

import httpx2

from kit.clickhouse_tls import tls_context, unusable_tls_files
from kit.refused_connection import (
    CLICKHOUSE,
    CLICKHOUSE_AUTHENTICATION_FAILED,
    CLICKHOUSE_PASSWORD,
    certificate_refusal,
)
from kit.settings import Settings

_NOT_LOGGED: Final = {"log_queries": "0"}
"""Setting of the statement. Each write of the query log makes a part, and an idle server has nothing else to write."""


def clickhouse_problem(settings: Settings, url: str, seconds: float) -> str | None:
    """Runs `SELECT 1` on the server at the URL, as the owner of the tables, with a timeout of `seconds`.

    Returns the reason why there was no answer; None if there was one.
    """
    try:
        answer = _select_1(settings, url, httpx2.Timeout(seconds))
    except (httpx2.HTTPError, OSError) as error:
        named = certificate_refusal(error, CLICKHOUSE) or unusable_tls_files(settings)
        return f"{url}: {named or error or type(error).__name__}"
    if answer.is_success:
        return None
    if answer.headers.get("X-ClickHouse-Exception-Code") == str(CLICKHOUSE_AUTHENTICATION_FAILED):
        return f"{url}: {CLICKHOUSE_PASSWORD}"
    lines = answer.text.strip().splitlines()
    return f"{url}: {lines[0] if lines else f'status {answer.status_code}'}"


def is_silent(settings: Settings, url: str, seconds: float, connect_seconds: float) -> bool:
    """Runs the statement of `clickhouse_problem`. Returns whether the server accepted no connection within
    `connect_seconds`, or sent no answer for `seconds`. Returns False for every other problem."""
    try:
        _select_1(settings, url, httpx2.Timeout(seconds, connect=connect_seconds))
    except httpx2.TimeoutException:
        return True
    except (httpx2.HTTPError, OSError):
        return False
    return False


def _select_1(settings: Settings, url: str, timeout: httpx2.Timeout) -> httpx2.Response:
    return httpx2.post(
        url,
        params=_NOT_LOGGED,
        content="SELECT 1",
        headers={"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret},
        timeout=timeout,
        verify=tls_context(settings),
        # The node that `up` starts is on this machine. A proxy of the environment would see the password.
        trust_env=settings.clickhouse_url is not None,
    )
