"""Tests that another owner completes an erasure after its owner was killed, without repeating pending mutations."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tenants.erasures import ErasureService
from backend.tenants.service import TenantService
from ingest.dead.listing import list_dead_letters
from ingest.erasure.owner import Owner
from ingest.erasure.tables import read_shard_state
from kit.clickhouse import connect
from kit.clock import ManualClock, SystemClock
from schema.control.database import opened
from schema.control.erasures import Erasure, Phase
from schema.control.lease import LEASE_SECONDS
from tests.faults.dying_eraser import Point
from tests.forked_module import run_module
from tests.ingest.pipeline import Pipeline, new_pipeline
from tests.ingest.two_tenants import LEAVING, STAYING, add_tenants, dead_letters, prepare_tables, send_a_dead_letter
from tests.running_stack import Stack

TABLE = "logs_1"


@pytest.fixture
def pipeline(stack: Stack, tmp_path: Path) -> Iterator[Pipeline]:
    """Yields a pipeline with two tenants, whose loader does not erase by itself."""
    with new_pipeline(stack, tmp_path, ERASURE_AFTER_SECONDS="0", ERASURE_INTERVAL_SECONDS="86400") as made:
        prepare_tables(made)
        asyncio.run(add_tenants(made))
        made.start_loader()
        yield made


def die_at(pipeline: Pipeline, point: Point, seconds: float) -> None:
    """Starts runs of an owner whose clock is `seconds` ahead, each in a new process, until one dies at the point."""

    def died() -> bool:
        done = run_module(("tests.faults.dying_eraser", point, str(seconds)), pipeline.environment, 120)
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode == -signal.SIGKILL

    pipeline.wait(died, f"it dies {point}")


async def run_once(pipeline: Pipeline, seconds: float) -> bool:
    clock = ManualClock(SystemClock().now_ns())
    clock.advance(seconds)
    async with opened(pipeline.settings.control_plane_url) as engine:
        return await Owner(pipeline.settings, clock, "successor").run_once(engine)


async def state(pipeline: Pipeline) -> Erasure:
    async with opened(pipeline.settings.control_plane_url) as engine:
        [erasure] = await ErasureService(engine, pipeline.settings.consumer_groups).erasures("leaving")
    return erasure


async def delete_tenant(pipeline: Pipeline) -> None:
    async with opened(pipeline.settings.control_plane_url) as engine:
        await TenantService(engine, SystemClock()).delete_tenant("leaving")


def mutations(pipeline: Pipeline) -> int:
    """Returns the number of mutations of TABLE that delete rows of tenants."""
    [(count, _)] = pipeline.query(
        "SELECT count(), 0 FROM system.mutations WHERE database = currentDatabase() AND command LIKE '%tenant_id IN%'"
        f" AND table = '{TABLE}'"
    )
    return count


def test_another_takes_over_and_repeats_nothing_that_is_pending(pipeline: Pipeline) -> None:
    pipeline.send(messages=12)
    for tenant_id in (STAYING, LEAVING):
        send_a_dead_letter(pipeline, tenant_id)
    pipeline.flush()
    pipeline.wait_until_stored()
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) == 2, "the dead letters are written")
    before = dead_letters(pipeline)
    asyncio.run(delete_tenant(pipeline))
    with connect(pipeline.settings) as client:
        client.command(f"SYSTEM STOP MERGES {TABLE}")  # This also stops mutations.
        die_at(pipeline, Point.after_mutation, 0)
        assert mutations(pipeline) == 1

        assert not asyncio.run(run_once(pipeline, 0)), "the lease of the dead process still holds"
        for _ in range(2):
            assert asyncio.run(run_once(pipeline, LEASE_SECONDS + 1))
        assert mutations(pipeline) == 1, "a mutation that is pending was issued once more"
        waiting = asyncio.run(state(pipeline))
        assert (waiting.progress.phase, waiting.erased_at_ns) == (Phase.deleting, None)
        assert read_shard_state(client, [LEAVING]).left(LEAVING)[TABLE] == 10

        client.command(f"SYSTEM START MERGES {TABLE}")
        die_at(pipeline, Point.after_copies, 3 * LEASE_SECONDS)
        assert {tenant: len(found) for tenant, found in dead_letters(pipeline).items()} == {STAYING: 2, LEAVING: 1}
        assert len(list_dead_letters(pipeline.settings)) == 2, "a letter and its copy count once"

        pipeline.wait(
            lambda: (
                asyncio.run(run_once(pipeline, 5 * LEASE_SECONDS))
                and asyncio.run(state(pipeline)).progress.phase is Phase.erased
            ),
            "the tenant is erased",
        )
        assert mutations(pipeline) == 1
        assert set(read_shard_state(client, [LEAVING]).left(LEAVING).values()) == {0}
    assert {tenant: set(found) for tenant, found in dead_letters(pipeline).items()} == {STAYING: set(before[STAYING])}
    assert pipeline.stored()[STAYING] == 10
