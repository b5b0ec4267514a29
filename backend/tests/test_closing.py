"""Tests that an application leaves no threads of its own, and ends its services in the right order."""

import threading

import pytest
from fastapi.testclient import TestClient

from backend.app import create_app
from backend.tail.service import TailService
from kit.clock import SystemClock
from kit.settings import Settings
from schema.control.directory import Directory


def test_the_threads_that_write_answers_end_with_the_application(keys: dict[str, str]) -> None:
    before = set(threading.enumerate())
    with TestClient(create_app(Settings(), SystemClock()), headers={"authorization": keys["query"]}) as client:
        assert client.get("/api/v1/views").status_code == 200
        writers = [each for each in threading.enumerate() if each.name.startswith("answer-writer")]
        assert set(writers) - before
    assert not (set(writers) - before) & set(threading.enumerate())


def test_the_last_uses_of_keys_are_written_before_tails_wait_for_kafka(
    keys: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []
    stop, close = Directory.stop, TailService.close

    async def stop_directory(directory: Directory) -> None:
        await stop(directory)
        ended.append("directory")

    async def close_tails(tails: TailService) -> None:
        await close(tails)
        ended.append("tails")

    monkeypatch.setattr(Directory, "stop", stop_directory)
    monkeypatch.setattr(TailService, "close", close_tails)
    with TestClient(create_app(Settings(), SystemClock()), headers={"authorization": keys["query"]}) as client:
        assert client.get("/api/v1/views").status_code == 200
    assert ended == ["directory", "tails"]
