"""Tests that only a sign-in link that was not used before gives the demo key."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI

from backend import problems
from backend.state import state_of
from backend.ui.endpoints import router
from kit.clock import SystemClock
from kit.settings import Settings
from schema.demo_keys import DemoKeys, demo_keys_file
from schema.sign_in_links import exchange, links_folder, make_token

KEYS = DemoKeys(tenant="demo", ingest_key="ls_ingest_1_2", query_key="ls_query_3_4")


class StoppedClock(SystemClock):
    """A clock that stays at a time given by the test."""

    def __init__(self, at_ns: int) -> None:
        self.at_ns = at_ns

    def now_ns(self) -> int:
        return self.at_ns


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path)
    demo_keys_file(settings).write_text(KEYS.model_dump_json())
    return settings


def token_of(settings: Settings) -> str:
    token = make_token(settings, SystemClock())
    assert token is not None
    return token


def session(settings: Settings, token: str | None) -> httpx2.Response:
    app = FastAPI()
    problems.install(app)
    app.include_router(router)
    app.dependency_overrides[state_of] = lambda: SimpleNamespace(settings=settings)

    async def send() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, client=("127.0.0.1", 1))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as browser:
            headers = {} if token is None else {"X-Logsieve-Sign-In": token}
            return await browser.post("/api/v1/ui/session", headers=headers)

    return asyncio.run(send())


def test_a_token_is_exchanged_once(settings: Settings) -> None:
    token = token_of(settings)
    assert session(settings, token).json() == {"tenant": "demo", "query_key": "ls_query_3_4"}
    again = session(settings, token)
    assert (again.status_code, again.json()["code"]) == (401, "unauthenticated")
    assert "logsieve ui" in again.json()["detail"]


@pytest.mark.parametrize("token", [None, "", "guessed", "../keys.json"])
def test_a_browser_on_this_machine_without_a_token_is_given_nothing(settings: Settings, token: str | None) -> None:
    token_of(settings)
    answer = session(settings, token)
    assert answer.status_code in (400, 401, 422)
    assert "ls_query" not in answer.text


def test_one_of_many_exchanges_wins(settings: Settings) -> None:
    token = token_of(settings)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: exchange(settings, token, SystemClock()), range(32)))
    assert [answer for answer in answers if answer is not None] == [KEYS]


def test_a_link_expires(settings: Settings) -> None:
    clock = StoppedClock(10**18)
    first, second = make_token(settings, clock), make_token(settings, clock)
    assert first is not None
    assert second is not None
    clock.at_ns += settings.ui_sign_in_link_seconds * 10**9 - 1
    assert exchange(settings, first, clock) == KEYS
    clock.at_ns += 1
    assert exchange(settings, second, clock) is None


def test_tokens_are_kept_as_hashes_for_the_owner_alone_and_no_longer_than_they_are_good(settings: Settings) -> None:
    clock = StoppedClock(10**18)
    token = make_token(settings, clock)
    assert token is not None
    (file,) = links_folder(settings).iterdir()
    assert token not in file.name + file.read_text()
    assert (file.stat().st_mode & 0o777, links_folder(settings).stat().st_mode & 0o777) == (0o600, 0o700)
    clock.at_ns += settings.ui_sign_in_link_seconds * 10**9
    make_token(settings, clock)
    assert file not in links_folder(settings).iterdir()


def test_without_demo_keys_there_is_no_link(tmp_path: Path) -> None:
    assert make_token(Settings(home=tmp_path), SystemClock()) is None
