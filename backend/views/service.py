"""Saves, lists, changes and deletes the views of a tenant, each call in one transaction."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from backend.caller import Caller
from backend.language.parse import parse_saved
from backend.saved_items import ItemKind
from backend.store.query_threads import QueryThreads
from backend.views.content import ViewContent, check_chart, check_content
from backend.views.repository import ViewInfo, ViewRepository, ViewSummary
from kit.clock import Clock
from schema.control.changes import Change, changing

MAX_VIEWS: Final = 500
"""Largest number of views of one tenant."""

_VIEW: Final = ItemKind("a", "view")


class ViewService:
    """Reads and changes the views of tenants. Writes every change to the audit log, without the view's query."""

    def __init__(
        self,
        engine: AsyncEngine,
        clock: Clock,
        queries: QueryThreads,
        token_hex: Callable[[int], str] = secrets.token_hex,
    ) -> None:
        """`token_hex` returns a number of random bytes as hexadecimal digits, from which ids are made."""
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
            return await _VIEW.found(ViewRepository(connection, tenant_id).find, view_id)

    async def create(self, caller: Caller, content: ViewContent) -> ViewInfo:
        """Saves a new view.

        Raises InvalidRequest for an invalid value or too many views, InvalidQuery for an invalid query, Conflict if
        another view has the name.
        """
        await self._check(caller, content)
        check_chart(content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            _VIEW.require_room(await repository.count(), MAX_VIEWS)
            author, now_ns = caller.actor.name, change.now_ns
            view = ViewInfo(self._token_hex(6), content, 1, now_ns, author, now_ns, author)
            _VIEW.require_free(content.name, await repository.named(content.name), view.id)
            await repository.add(view)
            await _clear_default(change, caller, repository, view)
            await change.note("view.create", caller.owner, after=_shown(view.summary))
        return view

    async def change(self, caller: Caller, view_id: str, content: ViewContent, revision: int) -> ViewInfo:
        """Replaces the content of a view. `revision` is the revision that the caller has read.

        Raises NotFound, RevisionConflict if the view was changed after that revision, and the errors of `create`,
        except the one for too many views.
        """
        await self._check(caller, content)
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            before = await _VIEW.found(repository.find, view_id)
            _VIEW.require_revision(before.content.name, before.revision, revision)
            check_chart(content, before.content)
            view = replace(
                before,
                content=content,
                revision=before.revision + 1,
                changed_at_ns=change.now_ns,
                changed_by=caller.actor.name,
            )
            _VIEW.require_free(content.name, await repository.named(content.name), view.id)
            await repository.change(view)
            await _clear_default(change, caller, repository, view)
            await change.note("view.change", caller.owner, _shown(before.summary), _shown(view.summary))
        return view

    async def delete(self, caller: Caller, view_id: str, revision: int | None) -> None:
        """Deletes a view. Raises NotFound, and RevisionConflict if a revision is given and the view has another one."""
        async with changing(self._engine, self._clock, caller.actor) as change:
            repository = ViewRepository(change.connection, caller.tenant.id)
            before = await _VIEW.found(repository.find, view_id)
            _VIEW.require_revision(before.content.name, before.revision, revision)
            await repository.remove(view_id)
            await change.note("view.delete", caller.owner, _shown(before.summary))

    async def _check(self, caller: Caller, content: ViewContent) -> None:
        check_content(content, self._clock.now_ns())
        await self._queries.run(caller.tenant.id, lambda: parse_saved(content.query))


async def _clear_default(change: Change, caller: Caller, repository: ViewRepository, saved: ViewInfo) -> None:
    """If `saved` is the default view, makes sure that no other view is. The audit log gets an entry for each view that
    was the default view before."""
    if not saved.content.is_default:
        return
    for cleared in await repository.clear_default(saved):
        before = replace(cleared, is_default=True, revision=cleared.revision - 1)
        await change.note("view.change", caller.owner, _shown(before), _shown(cleared))


def _shown(view: ViewSummary) -> dict[str, object]:
    # The query is left out, because its words may be personal data, and the audit log is kept after the tenant is
    # deleted.
    return {
        "view": view.id,
        "name": view.name,
        "folder": view.folder,
        "is_default": view.is_default,
        "revision": view.revision,
    }
