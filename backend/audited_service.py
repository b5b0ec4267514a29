"""Base of the services that commands use too, whose author of changes is therefore known when they are made."""

from contextlib import AbstractAsyncContextManager

from sqlalchemy.ext.asyncio import AsyncEngine

from kit.clock import Clock
from schema.control.changes import Actor, Change, changing, this_user


class AuditedService:
    """Service that changes the control plane. Each change is written to the audit log in the same transaction."""

    def __init__(self, engine: AsyncEngine, clock: Clock, actor: Actor | None = None) -> None:
        """`actor` is the author of changes; by default the user of this process."""
        self._engine = engine
        self._clock = clock
        self._actor = this_user() if actor is None else actor

    def _changing(self) -> AbstractAsyncContextManager[Change]:
        """Returns a transaction for changes of the author. Raises what `changing` raises."""
        return changing(self._engine, self._clock, self._actor)
