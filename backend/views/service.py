"""Saves, lists, changes and deletes the views of a tenant, each call in one transaction."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.language.parse import parse_saved
from backend.saved_items import is_item_id, require_revision
from backend.store.query_threads import QueryThreads
from backend.views.content import ViewContent, check_content
from backend.views.repository import ViewInfo, ViewRepository, ViewSummary
from kit.clock import Clock
from kit.errors import Conflict, InvalidRequest, NotFound
from schema.control.changes import changing

MAX_VIEWS: Final = 500
"""Largest number of views of one tenant."""


class ViewService:
    """Views of tenants. Every change is written to the audit log, without the view's query."""

    def __init__(
        self,
        engine: AsyncEngine,
        clock: Clock,
        queries: QueryThreads,
        token_hex: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        """`token_hex` returns the hexadecimal digits of that many random bytes, for ids."""
        self._engine = engine
        self._clock = clock
        self._queries = queries
        self._token_hex = token_hex

    async def views(self, tenant_id: int) -> list[ViewSummary]:
        """Returns a tenant's views by folder and name."""
        async with self._engine.connect() as connection:
            return await ViewRepository(connection, tenant_id).summaries()

    async def view(self, tenant_id: int, view_id: str) -> ViewInfo:
        """Returns one view. Raises NotFound, also for a view of another tenant."""
        async with self._engine.connect() as connection:
            return await _found(ViewRepository(connection, tenant_id), view_id)

    async def create(self, caller: Caller, content: ViewContent) -> ViewInfo:
        """Saves a new view.

        Raises InvalidRequest for an invalid value and for too many views, InvalidQuery, Conflict for the name of
        another view, NotFound for a deleted tenant.
        """
        await self._check(caller, content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            if not await repository.tenant_exists():
                raise NotFound("this tenant was deleted: views can no longer be saved")
            if await repository.count() >= MAX_VIEWS:
                raise InvalidRequest(f"the tenant has {MAX_VIEWS} views, as many as it may have: delete one first")
            author, now_ns = caller.actor.name, change.now_ns
            view = ViewInfo(self._token_hex(6), content, 1, now_ns, author, now_ns, author)
            await _require_free_name(repository, view)
            await repository.add(view)
            if content.is_default:
                await repository.clear_default(view.id)
            await change.note("view.create", _owner(caller), after=_shown(view))
        return view

    async def change(self, caller: Caller, view_id: str, content: ViewContent, revision: int) -> ViewInfo:
        """Replaces everything of a view that users choose. `revision` is the revision that the caller has read.

        Raises NotFound, RevisionConflict if the view was changed after that revision, and what `create` raises except
        for too many views.
        """
        await self._check(caller, content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            before = await _found(repository, view_id)
            require_revision(_titled(before), before.revision, revision)
            view = replace(
                before,
                content=content,
                revision=before.revision + 1,
                changed_at_ns=change.now_ns,
                changed_by=caller.actor.name,
            )
            await _require_free_name(repository, view)
            await repository.change(view)
            if content.is_default:
                await repository.clear_default(view.id)
            await change.note("view.change", _owner(caller), _shown(before), _shown(view))
        return view

    async def delete(self, caller: Caller, view_id: str, revision: int | None) -> None:
        """Deletes a view; with a revision, only that one. Raises NotFound, RevisionConflict."""
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            before = await _found(repository, view_id)
            if revision is not None:
                require_revision(_titled(before), before.revision, revision)
            await repository.remove(view_id)
            await change.note("view.delete", _owner(caller), _shown(before))

    async def _check(self, caller: Caller, content: ViewContent) -> None:
        check_content(content, self._clock.now_ns())
        await self._queries.run(caller.tenant.id, lambda: parse_saved(content.query))


async def _found(repository: ViewRepository, view_id: str) -> ViewInfo:
    view = await repository.find(view_id) if is_item_id(view_id) else None
    if view is None:
        raise NotFound(f"there is no view {view_id[:100]!r}: it was deleted, or its id is wrong")
    return view


async def _require_free_name(repository: ViewRepository, view: ViewInfo) -> None:
    name = view.content.name
    if await repository.named(name) not in (None, view.id):
        raise Conflict(f"there is a view {name!r} already: give another name, or change that view")


def _titled(view: ViewInfo) -> str:
    return f"view {view.content.name!r}"


def _owner(caller: Caller) -> tuple[int, str]:
    return caller.tenant.id, caller.tenant.name


def _shown(view: ViewInfo) -> dict[str, object]:
    # Without the query, whose words may be personal data: the audit log outlives a deleted tenant.
    content = view.content
    return {
        "view": view.id,
        "name": content.name,
        "folder": content.folder,
        "is_default": content.is_default,
        "revision": view.revision,
    }
