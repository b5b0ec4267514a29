"""Upgrades both databases and Kafka's topics to the present schema. `schema.migration_sql` prints its SQL.

Run it as one job (`logsieve migrate`), never from every process. Every step may be repeated: ClickHouse has no
transactions, so an interrupted step is simply run again.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Final

from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error
from sqlalchemy import Connection, insert, select

from kit.clickhouse import connect, connect_to_alter
from kit.clock import SystemClock
from kit.errors import Conflict, InvalidRequest, Unavailable
from kit.settings import Settings
from schema.clickhouse.add_lane import create_local_tables
from schema.clickhouse.complete import fill_command, mark_before_new_replica, mark_first
from schema.clickhouse.distributed import check_cluster, create_all_distributed
from schema.clickhouse.index_profiles import CREATED_PROFILE, Profile
from schema.clickhouse.lanes import existing_lanes
from schema.clickhouse.query_user import CONFIGURED_USER, create_query_user
from schema.clickhouse.searched_words import use_searched_words
from schema.clickhouse.storage_policy import use_policy
from schema.clickhouse.switch_profile import switch_profile, table_profiles
from schema.clickhouse.tables import table_name
from schema.clickhouse.upgrade_server import errors_as_sentences, upgrade_server
from schema.clickhouse.versions import keep_newest_version
from schema.control.changes import COUNT_CHANGE
from schema.control.database import opened
from schema.control.held_lease import HeldLease, holding
from schema.control.lease import LANES
from schema.control.migration_watch import watching
from schema.control.models import Lane
from schema.control.tenant_shards import prepare_shards
from schema.revisions import revisions, upgrade_to
from schema.topic import ensure_topics

Report = Callable[[str], None]

_ONE_AT_A_TIME: Final = "SELECT pg_advisory_xact_lock(7164775, 1)"
"""Statement of PostgreSQL that waits for the end of other transactions that have executed it. The numbers only have to
differ from those of other programs that use the same database."""


def migrate(settings: Settings, report: Report) -> None:
    """Creates or upgrades the control plane, the log tables and the topics, and names each step through `report`.

    Loaders create no lanes meanwhile. Raises Unavailable when the control plane, ClickHouse (any shard) or Kafka cannot
    be reached, or while a loader creates lanes for longer than two minutes. Raises Conflict when the servers' cluster
    differs from the settings, when there are more lanes than the settings allow, when a newer release has migrated, or
    when a loader may have created lanes meanwhile.
    Steps done before an error stay and are not repeated.
    """
    lanes = asyncio.run(migrate_control(settings, report, add_lanes=False))
    report("control plane is up to date")
    clock = SystemClock()
    # A lane that a loader copied from lane 0 before a revision changed it would never get that revision.
    lease = HeldLease(settings.control_plane_url, LANES, clock)
    with holding(lease, clock, report):
        if settings.topology.replicas > 1:
            _mark_before_new_replica(settings)
        for replica in settings.each_replica:
            migrate_clickhouse(replica, lanes, report, lease.require_held)
            report(f"log tables of {len(lanes)} lanes are up to date{_where(replica)}")
        if settings.clickhouse_url is not None:
            try:
                for replica in settings.each_replica:
                    _make_query_user(replica)
            except Unavailable:
                # An administrator may have created the user (`logsieve migrate --sql`).
                asyncio.run(migrate_control(settings, report))
                raise
            report(f"ClickHouse user {settings.clickhouse_query_user} may search")
        # New tenants get a new lane as soon as it is added, so its tables must exist on all servers, and searches must
        # be allowed to read them.
        asyncio.run(migrate_control(settings, report))
    ensure_topics(settings)
    report(f"topics {settings.kafka_topic} and {settings.kafka_dead_topic} exist")
    if settings.topology.replicas > 1:
        # The last step, because `ingest/refill/added_shard.py` takes a shard with the mark for one that was completed.
        _mark_complete(settings, report)


def _mark_before_new_replica(settings: Settings) -> None:
    with ExitStack() as clients:
        replicas = [
            [clients.enter_context(connect(each, database="default", shard=shard)) for shard in range(settings.shards)]
            for each in settings.each_replica
        ]
        mark_before_new_replica(replicas, settings.clickhouse_database)


def _mark_complete(settings: Settings, report: Report) -> None:
    """Lets searches read the replicas that are complete (mark_first), and reports the others."""
    for shard in range(settings.shards):
        with ExitStack() as clients:
            replicas = [clients.enter_context(connect(each, shard=shard)) for each in settings.each_replica]
            missing = mark_first(replicas)
            complete = min(set(range(len(replicas))).difference(missing))
            for replica in missing:
                fill = fill_command(replica, complete, shard, settings.shards)
                report(
                    f"searches do not read replica {replica} of shard {shard}, which may lack logs: run `{fill}`, or"
                    f" `logsieve replica admit {replica}` if it has all of them"
                )


def _where(settings: Settings) -> str:
    """Returns words for the servers of one replica of the store; empty if there is one server."""
    shards = f" on {settings.shards} shards" if settings.shards > 1 else ""
    return shards + (f" of replica {settings.loader_replica}" if settings.topology.replicas > 1 else "")


def upgrade_control_tables(connection: Connection) -> None:
    """Creates or upgrades the control plane's tables. An interrupted upgrade changes nothing. Concurrent upgrades run
    one after the other. Raises Conflict if a newer release has upgraded them."""
    if connection.dialect.name == "sqlite":
        # sqlite3 begins no transaction for statements that change the schema.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql(_ONE_AT_A_TIME)
    config = revisions("control")
    config.attributes["connection"] = connection
    upgrade_to(config, "head", "the control plane was")


async def migrate_control(
    settings: Settings, report: Report = lambda _: None, *, add_lanes: bool = True
) -> tuple[int, ...]:
    """Creates or upgrades the control plane's tables, and adds missing lanes unless `add_lanes` is False. Returns the
    lanes of the control plane and of the settings. `report` receives a sentence before each wait for a lock.

    Raises Unavailable, also if a session of PostgreSQL keeps a lock for LOCK_SECONDS, or if PostgreSQL does not answer
    for STATEMENT_SECONDS. Raises Conflict if the control plane has more lanes than the settings allow, or if a newer
    release has migrated it.
    """

    def upgrade(connection: Connection) -> tuple[int, ...]:
        upgrade_control_tables(connection)
        # As in every change, this statement comes before all others. Otherwise, concurrent changes could deadlock.
        connection.execute(COUNT_CHANGE)
        known = set(connection.scalars(select(Lane.number)))
        # Lanes are numbered from 0. A restored control plane may lack some of them.
        needed = max(known, default=-1) + 1
        if needed > settings.readable_lanes:
            # Tenants stay on their lanes, but the search user may read only the lanes that the settings allow.
            raise Conflict(
                f"there are {needed} lanes, and LOGSIEVE_MAX_LANES is {settings.max_lanes}: lanes can be added,"
                f" not removed; set LOGSIEVE_MAX_LANES to {needed} or more"
            )
        missing = [{"number": lane} for lane in range(settings.lanes) if lane not in known]
        if missing and add_lanes:
            connection.execute(insert(Lane), missing)
        if settings.shards > 1:
            prepare_shards(connection, settings.shards)
        return tuple(sorted(known.union(range(settings.lanes))))

    # A migration of a large table may take any time.
    url = settings.control_plane_url
    async with (
        opened(url, statement_seconds=None) as engine,
        watching(url, report) as watch,
        engine.begin() as connection,
    ):
        await watch.follow(connection)
        return await connection.run_sync(upgrade)


def migrate_clickhouse(
    settings: Settings,
    lanes: Sequence[int] = (),
    report: Report = lambda _: None,
    require_alone: Callable[[], None] = lambda: None,
) -> None:
    """Creates or upgrades the log tables on all shards of the replica `loader_replica`. `lanes` are the lanes of the
    control plane; those of the settings and those that a shard has are always included. `report` receives a sentence
    before each step that may take minutes. `require_alone` raises an error if another process may have created lanes.

    Raises that error, Unavailable when a shard cannot be reached or refuses a step, and Conflict when the servers'
    cluster or storage policies differ from the settings, or when a newer release has migrated the tables.
    """
    shards = range(settings.shards)
    for shard in shards:
        with connect(settings, database="default", shard=shard) as client:
            client.command(f"CREATE DATABASE IF NOT EXISTS `{settings.clickhouse_database}`")
    present = {shard: _lanes(settings, shard) for shard in shards}
    all_lanes = sorted(set(range(settings.lanes)).union(lanes, *present.values()))
    for shard in shards:
        with errors_as_sentences(settings.clickhouse_http_urls[shard]):
            # Revisions change the tables that exist, or create lane 0. The other lanes are copied from lane 0 below.
            _repair_version(settings, shard)
            upgrade_server(settings, shard, present[shard] or (0,), report, require_alone)
            _complete_lanes(settings, shard, present[shard], all_lanes)
    if settings.shards > 1:
        _distribute(settings, all_lanes)


def _is_empty(client: Client, lane: int) -> bool:
    return not client.query(f"SELECT 1 FROM {table_name(lane)} LIMIT 1").result_rows


def _repair_version(settings: Settings, shard: int) -> None:
    with connect(settings, shard=shard) as client:
        keep_newest_version(client)


def _complete_lanes(settings: Settings, shard: int, present: Sequence[int], lanes: Sequence[int]) -> None:
    """Adds the lanes that are missing, and gives the tables the indexes and the storage policy of the settings."""
    with connect_to_alter(settings, shard) as client:
        for lane in lanes:
            # This also repairs a run that was interrupted between a lane's two tables.
            create_local_tables(client, settings.clickhouse_database, lane)
        for lane in lanes:
            profile = Profile(settings.index_profile)
            # The switch of an empty table takes no time. A first run that was interrupted left tables with the profile
            # that revisions create. Other existing tables keep their profile.
            if lane not in present or (profile is not CREATED_PROFILE and _is_empty(client, lane)):
                switch_profile(client, table_name(lane), profile, SystemClock(), lambda _: None)
            profiles = table_profiles(client, table_name(lane))
            # There are two while `logsieve index use` runs. That command adds or drops the index itself.
            if len(profiles) == 1:
                use_searched_words(client, table_name(lane), profiles[0])
            if policy := settings.log_storage_policy:
                use_policy(client, table_name(lane), policy)


def _make_query_user(settings: Settings) -> None:
    """Creates the search user, unless the servers' configuration has it, as on the nodes that `up` starts.

    Raises InvalidRequest without a password for it, Unavailable if the owner may not create users.
    """
    password = settings.clickhouse_query_secret
    if not password:
        raise InvalidRequest(
            "LOGSIEVE_CLICKHOUSE_QUERY_PASSWORD is not set; set it, because searches run as their own ClickHouse user"
        )
    statements = create_query_user(settings, password)
    for shard in range(settings.shards):
        with connect(settings, shard=shard) as client:
            if client.query(CONFIGURED_USER, parameters={"name": settings.clickhouse_query_user}).result_rows:
                continue
            try:
                for statement in statements:
                    client.command(statement)
            except Error as error:
                raise Unavailable(
                    f"the ClickHouse user of searches could not be created (code {error.code}): give "
                    f"{settings.clickhouse_user} access_management, or run the last statements of "
                    "`logsieve migrate --sql` on each shard"
                ) from error


def _lanes(settings: Settings, shard: int) -> tuple[int, ...]:
    with connect(settings, shard=shard) as client:
        return existing_lanes(client)


def _distribute(settings: Settings, lanes: Sequence[int]) -> None:
    """Creates the Distributed tables on every shard, so that each shard can answer for all of them.

    Raises Conflict if a server's cluster has another number of shards than the settings.
    """
    for shard in range(settings.shards):
        with errors_as_sentences(settings.clickhouse_http_urls[shard]), connect(settings, shard=shard) as client:
            check_cluster(client, settings)
            for statement in create_all_distributed(settings, lanes):
                client.command(statement)
