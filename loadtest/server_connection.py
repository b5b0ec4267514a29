"""Sends statements to one ClickHouse server over a connection of its own, for studies with hundreds of them at once."""

from contextlib import AbstractContextManager
from typing import Final

import httpx2

from kit.errors import Internal, Unavailable
from kit.settings import Settings
from kit.tls import trusted

_ANSWER_SECONDS: Final = 300.0


class ServerConnection(AbstractContextManager["ServerConnection"]):
    """An HTTP connection to the server of a shard, as the owner of the tables. For one thread."""

    def __init__(self, settings: Settings, database: str, shard: int = 0) -> None:
        self._database = database
        self._http = httpx2.Client(
            base_url=settings.clickhouse_http_urls[shard],
            headers={"X-ClickHouse-User": settings.clickhouse_user, "X-ClickHouse-Key": settings.clickhouse_secret},
            timeout=_ANSWER_SECONDS,
            verify=trusted(),
        )

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def send(self, sql: str, **settings: str) -> None:
        """Sends a statement with these settings, and waits for its answer.

        Raises Internal if it fails, Unavailable without an answer.
        """
        try:
            answer = self._http.post("/", content=sql, params={**settings, "database": self._database})
        except httpx2.HTTPError as error:
            raise Unavailable(f"ClickHouse ended or hangs: {error}") from error
        if answer.status_code != httpx2.codes.OK:
            raise Internal(f"a statement failed: {answer.text[:300]}")
