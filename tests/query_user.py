"""Sends statements directly to ClickHouse with the password of searches."""

import httpx2

from kit.clickhouse import Account
from kit.settings import Settings
from kit.tls import trusted


def send_statement(settings: Settings, sql: str, account: Account = Account.query) -> httpx2.Response:
    """Sends a statement unchanged to the first node, with the user and password of an account."""
    user, password = settings.clickhouse_query_user, settings.clickhouse_query_secret
    if account is Account.owner:
        user, password = settings.clickhouse_user, settings.clickhouse_secret
    return httpx2.post(
        settings.clickhouse_http_urls[0],
        params={"database": settings.clickhouse_database},
        content=sql,
        headers={"X-ClickHouse-User": user, "X-ClickHouse-Key": password},
        verify=trusted(),
        timeout=60,
    )
