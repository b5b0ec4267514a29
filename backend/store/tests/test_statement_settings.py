"""Tests of the settings that statements are sent with."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from clickhouse_connect.driver.models import SettingDef

from backend.store import execute
from backend.store.execute import ANSWERS, Executor
from backend.store.statement import SystemStatement
from kit.clickhouse_statements import ServerAnswer, StatementClient
from kit.settings import Settings


class RecordingClient(StatementClient):
    """A client of a server that knows these settings. Keeps the settings of the last statement."""

    def __init__(self, *known: str) -> None:
        self.server_settings = {name: SettingDef(name, "1", 0) for name in known}
        self.sent: dict[str, Any] = {}

    async def query(self, _sql: str, _parameters: Any, settings: Any, *_: object) -> ServerAnswer:
        self.sent = dict(settings)
        return ServerAnswer([(1,)], {}, "id")


def settings_sent(
    monkeypatch: pytest.MonkeyPatch, client: RecordingClient, statement: SystemStatement[int] = ANSWERS
) -> dict[str, Any]:
    async def connect(*_: object) -> StatementClient:
        return client

    monkeypatch.setattr(execute, "connect_async", connect)
    asyncio.run(Executor(Settings()).run(statement))
    return client.sent


def test_statements_are_planned_without_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings_sent(monkeypatch, RecordingClient("use_statistics"))["use_statistics"] == 0


def test_a_setting_that_the_server_does_not_know_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    statement = replace(ANSWERS, settings={"a_setting": 1, "another_setting": 2})
    sent = settings_sent(monkeypatch, RecordingClient("a_setting"), statement)
    assert sent["a_setting"] == 1
    assert "another_setting" not in sent
    assert "use_statistics" not in sent
