"""Who is given the demo key without asking: browsers on this machine, where there is one and it may be given."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from fastapi import FastAPI

from backend import problems
from backend.state import state_of
from backend.ui.endpoints import router
from kit.settings import Settings
from schema.demo_keys import DemoKeys, demo_keys_file

KEYS = DemoKeys(tenant="demo", ingest_key="ls_ingest_1_2", query_key="ls_query_3_4")
NOBODY = {"tenant": None, "query_key": None}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path, ui_auto_sign_in=True)
    demo_keys_file(settings).write_text(KEYS.model_dump_json())
    return settings


def session(settings: Settings, host: str = "localhost", client: str = "127.0.0.1") -> httpx2.Response:
    app = FastAPI()
    problems.install(app)
    app.include_router(router)
    app.dependency_overrides[state_of] = lambda: SimpleNamespace(settings=settings)

    async def ask() -> httpx2.Response:
        transport = httpx2.ASGITransport(app, client=(client, 1))
        async with httpx2.AsyncClient(transport=transport, base_url=f"http://{host}") as browser:
            return await browser.get("/api/v1/ui/session")

    return asyncio.run(ask())


def test_a_browser_on_this_machine_is_given_the_query_key(settings: Settings) -> None:
    assert session(settings).json() == {"tenant": "demo", "query_key": "ls_query_3_4"}


def test_others_are_given_nothing(settings: Settings) -> None:
    assert session(settings, client="192.0.2.1").json() == NOBODY
    assert session(settings, host="rebound.example").json() == NOBODY
    assert session(settings.model_copy(update={"ui_auto_sign_in": False})).json() == NOBODY


def test_before_there_are_keys_nobody_is_given_one(settings: Settings) -> None:
    demo_keys_file(settings).unlink()
    assert session(settings).json() == NOBODY


@pytest.mark.parametrize("text", ["", "{}", '{"tenant": "demo"}'])
def test_a_file_that_holds_no_keys_is_a_problem_that_says_so(settings: Settings, text: str) -> None:
    demo_keys_file(settings).write_text(text)
    answer = session(settings)
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "does not hold demo keys" in answer.json()["detail"]
