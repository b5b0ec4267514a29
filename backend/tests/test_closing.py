"""Tests that an application leaves no threads of its own."""

import threading

from fastapi.testclient import TestClient

from backend.app import create_app
from kit.clock import SystemClock
from kit.settings import Settings


def test_the_threads_that_write_answers_end_with_the_application(keys: dict[str, str]) -> None:
    before = set(threading.enumerate())
    with TestClient(create_app(Settings(), SystemClock()), headers={"authorization": keys["query"]}) as client:
        assert client.get("/api/v1/views").status_code == 200
        writers = [each for each in threading.enumerate() if each.name.startswith("answer-writer")]
        assert set(writers) - before
    assert not (set(writers) - before) & set(threading.enumerate())
