"""The SQL of `logsieve migrate` for empty databases, to be read or run by hand.

`NOT_PRINTED` lists statements that it leaves out because they depend on a server. The rest is what `schema.migrate`
runs; tests/search/test_migration_sql.py runs it and finds no drift.
"""

import io
from collections.abc import Iterator
from typing import Final

from alembic import command
from sqlalchemy import insert
from sqlalchemy.engine import make_url

from kit.settings import Settings
from schema.clickhouse.add_lane import create_empty_lane
from schema.clickhouse.complete import create_complete
from schema.clickhouse.distributed import create_all_distributed
from schema.clickhouse.index_profiles import CREATED_PROFILE, Profile
from schema.clickhouse.query_user import create_query_user
from schema.clickhouse.storage_policy import set_policy
from schema.clickhouse.switch_profile import switch_empty
from schema.clickhouse.tables import table_name
from schema.control.models import Lane
from schema.revisions import revisions

NOT_PRINTED: Final = """\
-- The SQL that `logsieve migrate` runs for empty databases. It leaves out:
-- * the steps for existing databases: missing revisions, and tables of added lanes
-- * Kafka's topics, which are not created by SQL
-- * checks before the steps: of the number of lanes; of the server's release, which must have the profile's index; of
--   the cluster, which must have as many shards as the settings; of the user of searches in the server's configuration
-- * the password of the user of searches
"""


def migration_sql(settings: Settings) -> str:
    """Returns all statements in their order, each ending with a semicolon, without connecting to anything."""
    servers = len(settings.topology.places)
    everywhere = "" if servers == 1 else f", on each of the {servers} servers"
    return "\n".join(
        [
            NOT_PRINTED,
            "-- control plane",
            _control(settings),
            f"-- log store{everywhere}",
            _log_store(settings),
            f"-- the ClickHouse user of searches{everywhere}",
            *_query_user(settings),
            "",
        ]
    )


def _control(settings: Settings) -> str:
    dialect = make_url(settings.control_plane_url).get_backend_name()
    output = io.StringIO()
    config = revisions("control", output)
    config.attributes["dialect"] = dialect
    command.upgrade(config, "head", sql=True)
    lanes = insert(Lane).values([{"number": lane} for lane in range(settings.lanes)])
    bound = lanes.compile(dialect=make_url(f"{dialect}://").get_dialect()(), compile_kwargs={"literal_binds": True})
    return f"{output.getvalue()}{bound};\n"


def _log_store(settings: Settings) -> str:
    database = f"`{settings.clickhouse_database}`"
    output = io.StringIO()
    output.write(f"CREATE DATABASE IF NOT EXISTS {database};\n\nUSE {database};\n\n")
    config = revisions("clickhouse", output)
    config.attributes["lanes"] = (0,)
    command.upgrade(config, "head", sql=True)
    for statement in _after_revisions(settings):
        output.write(f"{statement};\n\n")
    return output.getvalue()


def _after_revisions(settings: Settings) -> Iterator[str]:
    """Returns the statements that `migrate` runs after the revisions, which create lane 0 and its fields table."""
    lanes = range(settings.lanes)
    profile = Profile(settings.index_profile)
    for lane in lanes[1:]:
        yield from create_empty_lane(settings.clickhouse_database, lane)
    for lane in lanes:
        yield from switch_empty(table_name(lane), CREATED_PROFILE, profile)
    if policy := settings.log_storage_policy:
        yield from (set_policy(table_name(lane), policy) for lane in lanes)
    if settings.shards > 1:
        yield from create_all_distributed(settings, lanes)
    if settings.topology.replicas > 1:
        yield create_complete()


def _query_user(settings: Settings) -> list[str]:
    if settings.clickhouse_url is None:
        return ["-- in the configuration of the nodes that `logsieve up` starts"]
    return [
        "-- unless the configuration of the server has it; put the password in place of <password>",
        *(f"{statement};" for statement in create_query_user(settings, None)),
    ]
