"""Tests which process may take a lease, on both databases."""

import asyncio
import socket
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import String, text

from kit.clock import CLOCKS_APART
from kit.settings import Settings
from schema.control.database import opened
from schema.control.lease import LEASE_SECONDS, leased, new_holder, release_lease, take_lease
from schema.control.models import Lease

NOW: Final = 1_800_000_000 * 10**9
SECOND: Final = 10**9
LEASE: Final = round(LEASE_SECONDS) * SECOND
APART: Final = round(CLOCKS_APART.total_seconds()) * SECOND
DECADE: Final = 10 * 365 * 86_400 * SECOND


@pytest.mark.parametrize(
    ("taken_at", "asked_at", "may_take"),
    [
        (NOW, NOW + LEASE - SECOND, False),
        (NOW, NOW + LEASE, True),
        (NOW + APART, NOW, False),
        (NOW + APART + SECOND, NOW, True),
        (NOW + DECADE, NOW, True),
    ],
)
def test_a_lease_ends_with_its_time_even_if_its_holder_had_a_wrong_clock(
    tmp_path: Path, control_url: str, taken_at: int, asked_at: int, may_take: bool
) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def take_twice() -> bool:
        async with opened(settings.control_plane_url) as engine:
            assert await take_lease(engine, "storage", "one", taken_at)
            assert await take_lease(engine, "storage", "one", taken_at)
            return await take_lease(engine, "storage", "other", asked_at)

    assert asyncio.run(take_twice()) == may_take


def test_a_lease_that_was_given_up_is_free(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def release() -> bool:
        async with opened(settings.control_plane_url) as engine:
            assert await take_lease(engine, "storage", "one", NOW)
            await release_lease(engine, "storage", "other")
            assert not await take_lease(engine, "storage", "other", NOW)
            await release_lease(engine, "storage", "one")
            return await take_lease(engine, "storage", "other", NOW)

    assert asyncio.run(release())


def test_only_a_failed_run_of_the_holder_releases_its_lease(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def run() -> tuple[bool, bool, bool]:
        async with opened(settings.control_plane_url) as engine:

            async def fail(holder: str) -> None:
                with pytest.raises(ValueError, match="a bug"):
                    async with leased(engine, "storage", holder, NOW):
                        raise ValueError("a bug")

            async with leased(engine, "storage", "one", NOW) as has_lease:
                assert has_lease
            await fail("other")
            kept = not await take_lease(engine, "storage", "other", NOW)
            async with leased(engine, "storage", "other", NOW) as has_lease:
                refused = not has_lease
            await fail("one")
            return kept, refused, await take_lease(engine, "storage", "other", NOW)

    assert asyncio.run(run()) == (True, True, True)


def test_an_unreachable_control_plane_does_not_hide_the_error_of_the_run(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def run() -> None:
        async with opened(settings.control_plane_url) as engine, leased(engine, "storage", "one", NOW):
            async with engine.begin() as connection:
                await connection.execute(text("ALTER TABLE lease RENAME TO lease_away"))
            raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        asyncio.run(run())


def test_hosts_with_the_same_first_50_characters_and_process_id_hold_leases_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    holders = set[str]()
    for number in range(3):
        monkeypatch.setattr(socket, "gethostname", lambda number=number: f"{'a-long-name-of-a-release-' * 2}{number}")
        holders.add(new_holder())
    assert len(holders) == 3
    column = Lease.__table__.c.holder.type
    assert isinstance(column, String)
    assert column.length is not None
    assert max(map(len, holders)) <= column.length
