"""Counts the parts of all lanes, and moves tenants from full lanes to other or new ones."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from ingest.lanes.parts import read_parts
from ingest.lanes.plan import Group, LaneBounds, LanePlan, plan_moves
from ingest.lanes.search_planning import read_lane_searches, slow_lanes
from kit.clickhouse import connect, translate
from kit.clock import Clock
from kit.errors import Unavailable
from kit.settings import Settings
from schema.clickhouse.add_lane import create_distributed_tables, create_local_tables
from schema.control.changes import changing, this_user
from schema.control.lease import LANES, take_lease
from schema.control.models import Lane
from schema.control.tenant_lanes import TenantPlace, next_since, place, read_placed, read_places

log = structlog.get_logger()


class LaneOwner:
    """Keeps the lanes from getting full, in repeated runs. A run may end at any point: the next one continues."""

    def __init__(self, settings: Settings, clock: Clock, holder: str) -> None:
        """`holder` names this process, uniquely among all processes that take the lease LANES."""
        self._settings = settings
        self._clock = clock
        self._holder = holder
        self._bounds = LaneBounds(settings.lane_parts, settings.readable_lanes)

    async def run_once(self, engine: AsyncEngine) -> LanePlan:
        """Creates lanes and moves tenants as `plan_moves` decides. Returns the plan.

        Needs all servers, because a new lane must exist on each of them. Raises Unavailable if one does not answer, or
        if another process has taken the lease meanwhile, and SQLAlchemyError while the control plane is unreachable.
        """
        async with engine.connect() as connection:
            lanes = (await connection.scalars(select(Lane.number))).all()
            tenants = await read_places(connection)
        with self._servers() as servers:
            percent = self._settings.lane_planning_percent
            slow = {lane for client in servers for lane in slow_lanes(read_lane_searches(client) or {}, percent)}
            plan = plan_moves(tenants, _most_parts(servers), lanes, self._bounds, slow)
            await self._create_tables(engine, servers, plan.created)
        if plan.moves:
            await self._save(engine, plan, tenants)
        for lane in plan.stuck:
            log.warning(
                "lane stays full, because no other tenant can move: raise LOGSIEVE_MAX_LANES, or use fewer cohorts",
                lane=lane,
            )
        return plan

    @contextmanager
    def _servers(self) -> Iterator[list[Client]]:
        """Yields clients of all servers. Translates their errors."""
        places = self._settings.topology.places
        try:
            with ExitStack() as clients:
                yield [
                    clients.enter_context(connect(self._settings.of_replica(each.replica), shard=each.shard))
                    for each in places
                ]
        except Error as error:
            raise translate(error) from error

    async def _create_tables(self, engine: AsyncEngine, servers: list[Client], lanes: tuple[int, ...]) -> None:
        for lane in lanes:
            for client in servers:
                # A server may have answered so slowly that the lease ended, and a migration may change the tables now.
                # A lane that is copied from lane 0 meanwhile would never get the new columns.
                if not await take_lease(engine, LANES, self._holder, self._clock.now_ns()):
                    raise Unavailable(
                        f"lane {lane} was not created, because the servers answered too slowly and another process has"
                        f" taken the lease `{LANES}`: the next run creates it"
                    )
                create_local_tables(client, self._settings.clickhouse_database, lane)
            for client in servers:
                create_distributed_tables(client, self._settings, lane)

    async def _save(self, engine: AsyncEngine, plan: LanePlan, planned: list[TenantPlace]) -> None:
        """Writes the new lanes, and the moves of all tenants that are still where they were when this was planned."""
        async with changing(engine, self._clock, this_user()) as change:
            if plan.created:
                await change.connection.execute(insert(Lane), [{"number": lane} for lane in plan.created])
                await change.note("lane.create", None, after={"lanes": list(plan.created)})
            placed = await read_placed(change.connection)
            unchanged = {*planned}.intersection(await read_places(change.connection))
            for tenant in sorted(unchanged, key=lambda each: each.tenant_id):
                lane = plan.moves.get(Group(tenant.lane, tenant.cohort))
                if lane is None:
                    continue
                last = placed[tenant.tenant_id][-1]
                moved = last._replace(since_ns=next_since(last, change.now_ns), lane=lane)
                await place(change.connection, tenant.tenant_id, moved)
                before, after = ({"cohort": tenant.cohort, "lane": each} for each in (tenant.lane, lane))
                await change.note("tenant.move", (tenant.tenant_id, tenant.name), before, after)
        for group, lane in plan.moves.items():
            log.info("cohort moved to another lane", cohort=group.cohort, from_lane=group.lane, to_lane=lane)


def _most_parts(servers: list[Client]) -> dict[Group, int]:
    """Returns the largest number of parts on one server, by lane and cohort."""
    most = defaultdict[Group, int](int)
    for client in servers:
        for group, count in read_parts(client).items():
            most[group] = max(most[group], count)
    return most
