"""Leases: a job that only one of several processes does at a time, and that another process takes over if it dies."""

import os
import socket
from typing import Final

from sqlalchemy import delete, or_
from sqlalchemy.ext.asyncio import AsyncEngine

from kit.clock import CLOCKS_APART
from schema.control.models import Lease
from schema.control.upsert import upsert

LEASE_SECONDS: Final = 60.0
"""Seconds after which another process may take the lease of a process that died."""


def this_process() -> str:
    """Returns the name under which this process holds leases: its host and its process id."""
    return f"{socket.gethostname()[:50]}-{os.getpid()}"


async def take_lease(engine: AsyncEngine, name: str, holder: str, now_ns: int) -> bool:
    """Takes the lease, or extends it, for LEASE_SECONDS. Returns False while another process holds it.

    A lease that lasts longer than LEASE_SECONDS and CLOCKS_APART together was taken while a clock was wrong, and any
    process may take it.
    """
    until_ns = now_ns + round(LEASE_SECONDS * 1e9)
    latest_ns = until_ns + round(CLOCKS_APART.total_seconds() * 1e9)
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


async def give_up_lease(engine: AsyncEngine, name: str, holder: str) -> None:
    """Releases the lease immediately. Does nothing if another process holds it."""
    async with engine.begin() as connection:
        await connection.execute(delete(Lease).where(Lease.name == name, Lease.holder == holder))
