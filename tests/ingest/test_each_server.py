"""Tests the loops that run a task on each server."""

import pytest

from ingest import each_server
from ingest.each_server import EachServer
from ingest.minute_counts.periodic import MinuteCounts
from ingest.word_index.periodic import SearchedWords
from tests.running_stack import Stack


@pytest.mark.parametrize(("loop_of", "name"), [(SearchedWords, "searched-words"), (MinuteCounts, "minute-counts")])
def test_a_loop_without_its_rights_says_so_once(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, loop_of: type[SearchedWords | MinuteCounts], name: str
) -> None:
    searcher = stack.settings.clickhouse_query_user, stack.settings.clickhouse_query_secret
    changed = dict(zip(("clickhouse_user", "clickhouse_password"), searcher, strict=True))
    loop: EachServer = loop_of(type(stack.settings).model_validate(stack.settings.model_dump() | changed))
    reported: list[str] = []
    monkeypatch.setattr(each_server.log, "warning", lambda text, **_: reported.append(text))
    for _ in range(2):
        loop.run_once()
    assert [text.partition(",")[0] for text in reported] == [f"{name} does nothing"]
