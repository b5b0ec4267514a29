"""Tests that the list of a tenant's rules is made off the event loop, one at a time, and counts until it is read."""

import asyncio
import threading
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.types import Message

from backend.alerts import endpoints
from backend.alerts.repository import Rule
from backend.alerts.schemas import Alert, AlertHistory, Alerts, AlertStatus, alert_body
from backend.alerts.service import AlertService
from backend.alerts.tests.world import World, content, run
from backend.answers.paced_response import PacedResponse
from backend.answers.slots import AnswerSlots
from backend.answers.tests.resources import resources_with
from backend.auth import _query_caller
from backend.change_rate import ChangeRate
from backend.state import State
from backend.state import state_of as state_dependency
from backend.store.query_threads import QueryThreads
from kit.errors import RateLimited
from schema.control.directory import Directory

SMALL_BYTES = 500
"""Size beyond which answers of these tests count, in bytes. It is smaller than a rule."""


def state_of(world: World, unread_bytes: int = 2**20) -> State:
    directory = Directory(world.settings.control_plane_url, 60, world.clock)
    lists, usages = AnswerSlots("list", 2, world.clock), AnswerSlots("usage", 2, world.clock)
    return State(
        world.settings, directory, resources_with(unread_bytes, world.clock), ChangeRate(world.clock), lists, usages
    )


async def body(answer: object) -> bytes:
    """Returns the bytes that the server sends."""
    assert isinstance(answer, PacedResponse)
    return b"".join([bytes(piece) async for piece in answer.body_iterator if not isinstance(piece, str)])


def test_a_large_list_is_made_on_another_thread_and_counts_until_it_is_read(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[int]()

    def recording(rule: Rule) -> Alert:
        threads.add(threading.get_ident())
        return alert_body(rule)

    monkeypatch.setattr("backend.answers.response.AT_ONCE_BYTES", SMALL_BYTES)
    monkeypatch.setattr(endpoints, "alert_body", recording)

    async def use(world: World) -> None:
        for number in range(3):
            await world.service.create(world.acme, content(name=f"Rule {number}"))
        wanted = Alerts(alerts=[alert_body(rule) for rule in await world.service.rules(world.acme.tenant.id)])
        state = state_of(world, 3 * len(wanted.model_dump_json()))
        first = await endpoints.list_alerts(world.acme, world.service, state)
        with pytest.raises(RateLimited, match="have not read"):
            await endpoints.list_alerts(world.acme, world.service, state)
        assert Alerts.model_validate_json(await body(first)) == wanted
        second = await endpoints.list_alerts(world.acme, world.service, state)
        assert Alerts.model_validate_json(await body(second)) == wanted

    run(control_home, None, use)
    assert threads
    assert threading.get_ident() not in threads


def test_a_rule_and_its_history_count_until_they_are_read(control_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.answers.response.AT_ONCE_BYTES", 10)

    async def use(world: World) -> None:
        rule = await world.service.create(world.acme, content())
        await world.minute({("web",): 6.0})
        state = state_of(world)
        status = await endpoints.get_alert(world.acme, world.service, state, rule.id)
        assert AlertStatus.model_validate_json(await body(status)).groups[0].group == ["web"]
        history = await endpoints.get_alert_history(world.acme, world.service, state, rule.id)
        assert [each.kind for each in AlertHistory.model_validate_json(await body(history)).notices] == ["firing"]

    run(control_home, None, use)


class HeldService(AlertService):
    """Answers the list of a tenant when the test allows it."""

    def __init__(self, world: World) -> None:
        super().__init__(world.engine, world.clock, QueryThreads(world.clock), has_mail=False)
        self.asked: list[int] = []
        self.released = asyncio.Event()

    async def rules(self, tenant_id: int) -> list[Rule]:
        self.asked.append(tenant_id)
        await self.released.wait()
        return []


def test_a_tenant_has_one_list_made_at_a_time(control_home: Path) -> None:
    async def use(world: World) -> None:
        state, service = state_of(world), HeldService(world)
        acme, other = world.acme.tenant.id, world.other.tenant.id
        lists = [asyncio.create_task(endpoints.list_alerts(world.acme, service, state)) for _ in range(5)]
        while not service.asked:
            await asyncio.sleep(0)
        lists.append(asyncio.create_task(endpoints.list_alerts(world.other, service, state)))
        while other not in service.asked:
            await asyncio.sleep(0)
        assert service.asked == [acme, other]
        service.released.set()
        assert {bytes(answer.body) for answer in await asyncio.gather(*lists)} == {b'{"alerts":[]}'}

    run(control_home, None, use)


def test_a_client_that_stops_reading_is_no_failure_of_the_database(
    control_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.answers.response.AT_ONCE_BYTES", 10)

    async def use(world: World) -> None:
        await world.service.create(world.acme, content())
        state, app = state_of(world), FastAPI()
        app.include_router(endpoints.router)
        app.dependency_overrides |= {_query_caller: lambda: world.acme, state_dependency: lambda: state}
        path = "/api/v1/alerts"
        scope = {"type": "http", "method": "GET", "path": path, "headers": [], "query_string": b""}

        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            if message.get("body"):
                raise OSError("the client does not read")

        with pytest.raises(OSError, match="the client does not read"):
            await app(scope | {"state": {"alerts": world.service}}, receive, send)
        with state.resources.answers.share(world.acme.tenant.id) as share:
            share.grow(2**19)

    run(control_home, None, use)
