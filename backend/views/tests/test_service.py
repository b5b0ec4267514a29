"""Tests how views are saved, changed and deleted, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.service import AuditService
from backend.caller import Caller
from backend.tenants.service import TenantService
from backend.tests.callers import two_callers
from backend.views.content import Column, ViewContent
from backend.views.service import MAX_VIEWS, ViewService
from kit.clock import ManualClock
from kit.errors import Conflict, InvalidQuery, InvalidRequest, NotFound, RevisionConflict, Unauthenticated
from kit.settings import Settings
from schema.control.erase_rows import erase_rows
from schema.control.models import SavedView

NOW = 1_790_000_000_000_000_000
ERRORS = ViewContent(
    name="Errors",
    folder="checkout",
    query="severity:>=error",
    start="now-6h",
    end="now",
    order="asc",
    columns=(Column("service", None), Column("user.id, or so", 120)),
    chart_by="service",
    chart_kind="table",
    is_default=False,
)


@dataclass(frozen=True, slots=True)
class World:
    """A control plane with tenants acme and other, and a caller of each."""

    engine: AsyncEngine
    service: ViewService
    acme: Caller
    other: Caller
    clock: ManualClock


def run(home: Path, control_url: str | None, use: Callable[[World], Awaitable[None]]) -> None:
    """Runs a test on a migrated control plane, without a URL on the one in `home`."""
    settings = Settings(home=home, control_url=control_url)

    async def body() -> None:
        clock = ManualClock(NOW)
        async with two_callers(settings, clock) as callers:
            service = ViewService(callers.engine, clock, callers.queries)
            await use(World(callers.engine, service, callers.acme, callers.other, clock))

    asyncio.run(body())


def test_a_view_is_saved_read_changed_and_deleted(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        made = await service.create(acme, ERRORS)
        assert await service.view(acme.tenant.id, made.id) == made
        assert (made.content, made.revision, made.created_by) == (ERRORS, 1, acme.actor.name)

        other_query = replace(ERRORS, query="timeout", folder="")
        changed = await service.change(acme, made.id, other_query, 1)
        assert await service.view(acme.tenant.id, made.id) == changed
        assert (changed.content, changed.revision) == (other_query, 2)

        await service.delete(acme, made.id, 2)
        assert await service.views(acme.tenant.id) == []
        with pytest.raises(NotFound):
            await service.view(acme.tenant.id, made.id)

    run(tmp_path, control_url, use)


def test_an_older_revision_overwrites_nothing(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        made = await service.create(acme, ERRORS)
        contents = [replace(ERRORS, query=word) for word in ("one", "two", "three")]
        changes = [service.change(acme, made.id, content, made.revision) for content in contents]
        results = await asyncio.gather(*changes, return_exceptions=True)
        lost = [each for each in results if isinstance(each, RevisionConflict)]
        (kept,) = (each for each in results if not isinstance(each, BaseException))
        assert len(lost) == 2
        with pytest.raises(RevisionConflict, match="revision 2, but this request replaces revision 1"):
            await service.delete(acme, made.id, 1)
        assert await service.view(acme.tenant.id, made.id) == kept

    run(tmp_path, control_url, use)


def test_names_are_unique_within_a_tenant_and_the_default_is_one(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        first = await service.create(acme, replace(ERRORS, is_default=True))
        theirs = await service.create(world.other, replace(ERRORS, is_default=True))
        with pytest.raises(Conflict, match="'Errors' exists already"):
            await service.create(acme, ERRORS)
        second = await service.create(acme, replace(ERRORS, name="Apples", folder="", is_default=True))
        with pytest.raises(Conflict, match="'Errors' exists already"):
            await service.change(acme, second.id, ERRORS, 1)

        listed = await service.views(acme.tenant.id)
        assert [(each.name, each.is_default) for each in listed] == [("Apples", True), ("Errors", False)]
        with pytest.raises(RevisionConflict):
            await service.change(acme, first.id, replace(ERRORS, is_default=True), first.revision)
        assert (await service.view(world.other.tenant.id, theirs.id)).content.is_default

    run(tmp_path, control_url, use)


def test_nothing_of_another_tenant_is_reached(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service = world.service
        theirs = await service.create(world.other, ERRORS)
        with pytest.raises(NotFound):
            await service.view(world.acme.tenant.id, theirs.id)
        with pytest.raises(NotFound):
            await service.change(world.acme, theirs.id, ERRORS, 1)
        with pytest.raises(NotFound):
            await service.delete(world.acme, theirs.id, None)
        assert await service.views(world.acme.tenant.id) == []
        assert await service.view(world.other.tenant.id, theirs.id) == theirs

    run(tmp_path, control_url, use)


def test_a_query_may_have_numbers(control_home: Path) -> None:
    async def use(world: World) -> None:
        made = await world.service.create(world.acme, replace(ERRORS, query="error | stats count() by service"))
        stored = await world.service.view(world.acme.tenant.id, made.id)
        assert stored.content.query == "error | stats count() by service"

    run(control_home, None, use)


def test_the_message_may_stand_beside_the_largest_number_of_columns(control_home: Path) -> None:
    async def use(world: World) -> None:
        columns = (*(Column(f"f{number}", None) for number in range(20)), Column("body", 300))
        made = await world.service.create(world.acme, replace(ERRORS, columns=columns))
        stored = await world.service.view(world.acme.tenant.id, made.id)
        assert stored.content.columns == columns

    run(control_home, None, use)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"name": ""}, "`name` has 0 characters"),
        ({"name": "x" * 101}, "`name` has 101 characters"),
        ({"name": " a"}, "`name` begins or ends with a space"),
        ({"folder": "a\nb"}, "`folder` begins"),
        ({"query": "(a"}, "a parenthesis is not closed"),
        ({"query": "a\0b"}, "NUL"),
        ({"query": "a | stats cont()"}, "cont is not a function"),
        ({"start": "yesterday"}, "start is `yesterday`"),
        ({"start": "now", "end": "now-1h"}, "the range from now to now-1h is empty"),
        ({"columns": (Column("a", None),) * 2}, "'a' more than once"),
        ({"columns": tuple(Column(f"f{number}", None) for number in range(21))}, "21 columns"),
        ({"columns": (Column("a", 39),)}, "`columns.width` is 39"),
        ({"columns": (Column("x" * 257, None),)}, "`columns.field` has 257"),
        ({"chart_by": ""}, "`chart_by` has 0"),
        ({"chart_by": "a\0"}, "`chart_by` has a NUL"),
        ({"chart_by": "body"}, "`chart_by` is 'body'"),
    ],
)
def test_invalid_values_are_refused(control_home: Path, change: dict[str, object], reason: str) -> None:
    async def use(world: World) -> None:
        content = ViewContent(**{**_members(ERRORS), **change})  # type: ignore[arg-type]  # values of each member's type
        kind = InvalidQuery if "query" in change else InvalidRequest
        with pytest.raises(kind, match=reason):
            await world.service.create(world.acme, content)
        assert await world.service.views(world.acme.tenant.id) == []

    run(control_home, None, use)


def test_a_view_of_an_earlier_release_can_be_changed_whose_chart_cannot_count(control_home: Path) -> None:
    async def use(world: World) -> None:
        view = await world.service.create(world.acme, ERRORS)
        async with world.engine.begin() as connection:
            await connection.execute(update(SavedView).values(chart_by="body"))
        renamed = replace(ERRORS, name="Failures", chart_by="body")
        assert (await world.service.change(world.acme, view.id, renamed, view.revision)).content == renamed
        with pytest.raises(InvalidRequest, match="`chart_by` is 'trace_id'"):
            await world.service.change(world.acme, view.id, replace(renamed, chart_by="trace_id"), view.revision + 1)

    run(control_home, None, use)


def _members(content: ViewContent) -> dict[str, object]:
    return {name: getattr(content, name) for name in ViewContent.__slots__}


def test_a_tenant_has_only_so_many_views(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        made = await world.service.create(world.acme, ERRORS)
        async with world.engine.begin() as connection:
            row = dict((await connection.execute(select(SavedView.__table__))).mappings().one())
            rows = [{**row, "id": f"{number:012}", "name": str(number)} for number in range(MAX_VIEWS - 1)]
            await connection.execute(insert(SavedView), rows)
        with pytest.raises(InvalidRequest, match=f"{MAX_VIEWS} views"):
            await world.service.create(world.acme, replace(ERRORS, name="one more"))
        await world.service.change(world.acme, made.id, replace(ERRORS, name="renamed"), 1)
        await world.service.create(world.other, ERRORS)

    run(tmp_path, control_url, use)


def test_a_deleted_tenants_views_are_erased_and_none_is_added(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        await world.service.create(world.acme, ERRORS)
        await world.service.create(world.other, ERRORS)
        await TenantService(world.engine, ManualClock(NOW)).delete_tenant("acme")
        async with world.engine.begin() as connection:
            assert (await erase_rows(connection, world.acme.tenant.id))["saved_view"] == (1, 0)
        with pytest.raises(Unauthenticated):
            await world.service.create(world.acme, ERRORS)
        async with world.engine.connect() as connection:
            assert await connection.scalar(select(func.count()).select_from(SavedView)) == 1

    run(tmp_path, control_url, use)


def test_the_audit_log_names_changes_without_the_query(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        made = await world.service.create(world.acme, replace(ERRORS, query="pomegranate"))
        await world.service.change(world.acme, made.id, replace(ERRORS, query="pomegranate", name="Fruit"), 1)
        await world.service.delete(world.acme, made.id, None)
        entries = await AuditService(world.engine).of_tenant(world.acme.tenant.id, since_ns=0, below=None, limit=3)
        assert [each.action for each in entries] == ["view.delete", "view.change", "view.create"]
        assert {each.actor for each in entries} == {world.acme.actor.name}
        assert [each.after.get("name") for each in entries] == [None, "Fruit", "Errors"]
        assert "pomegranate" not in repr(entries)

    run(tmp_path, control_url, use)


def test_a_view_that_is_no_longer_the_default_is_a_change_with_an_author(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        service, acme = world.service, world.acme
        colleague = replace(acme, actor=replace(acme.actor, name="key of a colleague"))
        first = await service.create(acme, replace(ERRORS, is_default=True))
        world.clock.advance(60)
        second = await service.create(colleague, replace(ERRORS, name="Apples", is_default=True))
        former = await service.view(acme.tenant.id, first.id)
        assert (former.revision, former.content.is_default) == (2, False)
        assert (former.changed_at_ns, former.changed_by) == (second.changed_at_ns, "key of a colleague")
        await service.change(acme, first.id, replace(ERRORS, is_default=True), 2)
        entries = await AuditService(world.engine).of_tenant(acme.tenant.id, since_ns=0, below=None, limit=4)
        assert [(each.after["view"], each.after["is_default"], each.after["revision"]) for each in entries] == [
            (first.id, True, 3),
            (second.id, False, 2),
            (second.id, True, 1),
            (first.id, False, 2),
        ]
        assert [(each.before.get("is_default"), each.before.get("revision")) for each in entries] == [
            (False, 2),
            (True, 1),
            (None, None),
            (True, 1),
        ]

    run(tmp_path, control_url, use)


def test_a_stored_view_of_a_later_release_is_readable(tmp_path: Path, control_url: str) -> None:
    async def use(world: World) -> None:
        made = await world.service.create(world.acme, ERRORS)
        async with world.engine.begin() as connection:
            await connection.execute(update(SavedView).values(columns='[{"field":"a","width":null,"color":"red"}]'))
        stored = await world.service.view(world.acme.tenant.id, made.id)
        assert stored.content.columns == (Column("a", None),)

    run(tmp_path, control_url, use)
