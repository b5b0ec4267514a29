"""Tests that a partition whose rows cannot be removed keeps no others."""

from types import SimpleNamespace
from typing import cast

import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError

from ingest.storage.remove import remove_days
from kit.errors import Unavailable

TENANT = 7
DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")
TIMEOUT_EXCEEDED = 159


class Server:
    """Server with a part of TENANT alone on each day. The part of the first day cannot be dropped."""

    def __init__(self, code: int | None) -> None:
        self.code = code
        """Code of the error, None if the server does not answer."""
        self.dropped = list[str]()

    def query(self, statement: str, parameters: dict[str, str] | None = None) -> SimpleNamespace:
        if "system.mutations" in statement:
            rows: list[tuple[object, ...]] = []
        elif "any(partition)" in statement:
            rows = [("logs_0", f"id_{day}", f"('r30','{day}')", 1, 1) for day in DAYS]
        elif "tenant_id, count()" in statement:
            rows = [(f"id_{day}", f"part_{day}", TENANT, 1) for day in DAYS]
        else:
            assert parameters is not None
            rows = [(parameters["id"].replace("id", "part"), 1)]
        return SimpleNamespace(result_rows=rows)

    def command(self, _statement: str, parameters: dict[str, str], **_: object) -> None:
        if DAYS[0] in parameters["part"]:
            raise DatabaseError("it is being moved", code=self.code)
        self.dropped.append(parameters["part"])


@pytest.mark.parametrize(("code", "dropped"), [(TIMEOUT_EXCEEDED, DAYS[1:]), (None, ())])
def test_other_days_are_removed_if_the_server_answers(code: int | None, dropped: tuple[str, ...]) -> None:
    server = Server(code)

    with pytest.raises(Unavailable):
        remove_days(cast("Client", server), {TENANT: 30_000})

    assert server.dropped == [f"part_{day}" for day in dropped]
