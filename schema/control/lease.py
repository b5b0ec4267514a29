"""Leases: a job that only one of several processes does at a time, and that another process takes over if it dies."""

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_hex
from typing import Final

import structlog
from sqlalchemy import delete, or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.clock import CLOCKS_APART_NS
from schema.control.database import reason_of
from schema.control.models import Lease
from schema.control.postgresql_waits import STATEMENT_SECONDS
from schema.control.upsert import upsert

log = structlog.get_logger()

LEASE_SECONDS: Final = 60.0
"""Seconds after which another process may take the lease of a process that died."""

LANES: Final = "lanes"
"""Name of the lease of the process that may create lanes or change the tables of all lanes."""


def new_holder() -> str:
    """Returns a name that no other holder of leases has, of at most 64 characters. Host and process id are in it for
    people."""
    # Names of pods may differ only in their last characters, and the process id is often the same in every container.
    return f"{socket.gethostname()[:40]}-{os.getpid()}-{token_hex(6)}"


async def take_lease(engine: AsyncEngine, name: str, holder: str, now_ns: int) -> bool:
    """Takes the lease, or extends it, for LEASE_SECONDS. Returns False while another process holds it.

    A lease that lasts longer than LEASE_SECONDS and CLOCKS_APART together was taken while a clock was wrong, and any
    process may take it.
    """
    until_ns = now_ns + round(LEASE_SECONDS * 1e9)
    latest_ns = until_ns + CLOCKS_APART_NS
    async with engine.begin() as connection:
        taken = await connection.execute(
            upsert(connection, Lease)
            .values(name=name, holder=holder, until_ns=until_ns)
            .on_conflict_do_update(
                index_elements=[Lease.name],
                set_={"holder": holder, "until_ns": until_ns},
                where=or_(Lease.holder == holder, Lease.until_ns <= now_ns, Lease.until_ns > latest_ns),
            )
        )
        return taken.rowcount > 0


async def extend_lease(engine: AsyncEngine, name: str, holder: str, now_ns: int) -> bool:
    """Extends the lease for LEASE_SECONDS. Returns False if another process has taken it since this holder took it,
    also if that process has released it."""
    until_ns = now_ns + round(LEASE_SECONDS * 1e9)
    async with engine.begin() as connection:
        extended = await connection.execute(
            update(Lease).where(Lease.name == name, Lease.holder == holder).values(until_ns=until_ns)
        )
        return extended.rowcount > 0


async def read_lease(engine: AsyncEngine, name: str) -> tuple[str, int] | None:
    """Returns the holder of the lease, and the time until which it has it, in nanoseconds since the Unix epoch. Returns
    None if nobody has taken the lease, or if its holder released it."""
    async with engine.connect() as connection:
        row = (await connection.execute(select(Lease.holder, Lease.until_ns).where(Lease.name == name))).first()
        return None if row is None else (row.holder, row.until_ns)


@asynccontextmanager
async def leased(engine: AsyncEngine, name: str, holder: str, now_ns: int) -> AsyncIterator[bool]:
    """Takes or extends the lease like `take_lease` for one run, which is the block. Yields whether this process has it.

    If the block raises, releases the lease. The process may be unable to reach a server that others reach. If it
    extended its lease in each failed run, no other process would ever get it.
    """
    has_lease = await take_lease(engine, name, holder, now_ns)
    try:
        yield has_lease
    except Exception:
        if has_lease:
            await _release_after_error(engine, name, holder)
        raise


async def release_lease(engine: AsyncEngine, name: str, holder: str) -> None:
    """Releases the lease immediately. Does nothing if another process holds it."""
    async with engine.begin() as connection:
        await connection.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))


async def _release_after_error(engine: AsyncEngine, name: str, holder: str) -> None:
    """Releases the lease. Only logs that the control plane is unreachable, so that the error of the run is raised."""
    try:
        await release_lease(engine, name, holder)
    except (SQLAlchemyError, OSError) as error:
        # Nothing extends the lease after a failed run, so it ends within LEASE_SECONDS.
        log.warning("lease not released after a failed run", lease=name, error=reason_of(error, STATEMENT_SECONDS))
