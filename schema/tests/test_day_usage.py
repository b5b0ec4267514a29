"""The day's usage on both databases."""

import asyncio
import time
from pathlib import Path

from sqlalchemy import insert

from kit.clock import DAY_NS
from kit.settings import Settings
from schema.control.database import open_database
from schema.control.day_usage import KEPT_DAYS, add_day_usage, forget_day_usage, read_day_usage
from schema.control.models import TenantRow


def test_receivers_add_to_the_same_day(tmp_path: Path, control_url: str) -> None:
    settings = Settings(home=tmp_path, control_url=control_url)

    async def add_twice() -> None:
        engine = open_database(settings.control_plane_url)
        async with engine.begin() as connection:
            for tenant in (1, 2):
                values = {"id": tenant, "name": f"t{tenant}", "lane": 0, "body_max_bytes": 1, "created_at_ns": 0}
                await connection.execute(insert(TenantRow).values(**values))
        for sent in ({1: 10, 2: 2**40}, {1: 5}, {}):
            async with engine.begin() as connection:
                await add_day_usage(connection, 20_000, sent)
        async with engine.begin() as connection:
            await add_day_usage(connection, 20_001, {1: 7})
            assert await read_day_usage(connection, 20_000) == {1: 15, 2: 2**40}
            assert await read_day_usage(connection, 20_001) == {1: 7}
            await forget_day_usage(connection, 20_032)
            assert await read_day_usage(connection, 20_000) == {}
            assert await read_day_usage(connection, 20_001) == {1: 7}
        await engine.dispose()

    asyncio.run(add_twice())


def test_a_receiver_whose_clock_is_ahead_forgets_no_present_day(tmp_path: Path, control_url: str) -> None:
    settings, today = Settings(home=tmp_path, control_url=control_url), time.time_ns() // DAY_NS

    async def forget() -> None:
        engine = open_database(settings.control_plane_url)
        async with engine.begin() as connection:
            values = {"id": 1, "name": "t1", "lane": 0, "body_max_bytes": 1, "created_at_ns": 0}
            await connection.execute(insert(TenantRow).values(**values))
            # The day may change between the reading of both clocks.
            for day in (today - KEPT_DAYS - 1, today - KEPT_DAYS + 1, today):
                await add_day_usage(connection, day, {1: 7})
            await forget_day_usage(connection, today + KEPT_DAYS + 1)
            assert await read_day_usage(connection, today - KEPT_DAYS - 1) == {}
            assert await read_day_usage(connection, today - KEPT_DAYS + 1) == {1: 7}
            assert await read_day_usage(connection, today) == {1: 7}
        await engine.dispose()

    asyncio.run(forget())
