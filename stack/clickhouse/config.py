"""Renders a node's config.xml and users.xml as text, without I/O, so that tests can read both."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

from kit.disk_settings import OWN_STORAGE_POLICY
from kit.settings import Settings
from schema.clickhouse.query_user import (
    FUNCTION_DATABASE,
    HIDDEN_FUNCTIONS,
    HIDDEN_TABLES,
    INDEX_CATALOG,
    POLICY,
    PROJECTION_CATALOG,
    WORK_COLUMNS,
    WORK_LOG,
    WORK_POLICY,
    readable_tables,
)
from stack.clickhouse.merge_priority import MERGE_THREADS
from stack.clickhouse.node import Node

QUERY_LOG_DAYS: Final = 3
PART_LOG_DAYS: Final = 7
QUERY_LOG_MILLISECONDS: Final = 2_000
"""Milliseconds between two writes of `system.query_log`."""
PART_LOG_MILLISECONDS: Final = 10_000
"""Milliseconds between two writes of `system.part_log`."""

_CONFIG: Final = """\
<clickhouse>
  <!-- Written by `logsieve up` on every start; changes made here are lost. -->
  <path>{data}/</path>
  <tmp_path>{data}/tmp/</tmp_path>
  <users_config>{users_file}</users_config>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http_port}</http_port>
  <tcp_port>{native_port}</tcp_port>
  <logger>
    <level>information</level>
    <!-- These print statements that fail, with the words that were searched. query_log has the statements. -->
    <levels>{silent_loggers}
    </levels>
    <log>{log_file}</log>
    <errorlog>{error_log_file}</errorlog>
    <size>20M</size>
    <count>3</count>
  </logger>
  <timezone>UTC</timezone>
  <max_server_memory_usage>{memory_limit}</max_server_memory_usage>
  <background_pool_size>{merge_threads}</background_pool_size>
  <!-- Two by default, of which one at a time may look for merges: too few for the tables of several lanes. -->
  <background_schedule_pool_size>16</background_schedule_pool_size>
  <background_streaming_schedule_pool_size>16</background_streaming_schedule_pool_size>
  <!-- The defaults are up to 5 GiB each: more than a small machine has. -->
  <mark_cache_size>268435456</mark_cache_size>
  <index_mark_cache_size>134217728</index_mark_cache_size>
  <primary_index_cache_size>268435456</primary_index_cache_size>
  <text_index_tokens_cache_size>134217728</text_index_tokens_cache_size>
  <text_index_header_cache_size>134217728</text_index_header_cache_size>
  <text_index_postings_cache_size>134217728</text_index_postings_cache_size>
  <!-- Token filters. By default there is no cache for them, and every search reads those of its range from disk. -->
  <index_uncompressed_cache_size>1073741824</index_uncompressed_cache_size>
  <query_log>
    <database>system</database>
    <table>query_log</table>
    <partition_by>event_date</partition_by>
    <ttl>event_date + INTERVAL {query_log_days} DAY DELETE</ttl>
    <!-- Users wait for this log: an explanation with measurements is answered when the log is written. -->
    <flush_interval_milliseconds>{query_log_milliseconds}</flush_interval_milliseconds>
    <max_size_rows>65536</max_size_rows>
  </query_log>
  <part_log>
    <database>system</database>
    <table>part_log</table>
    <partition_by>event_date</partition_by>
    <ttl>event_date + INTERVAL {part_log_days} DAY DELETE</ttl>
    <!-- Each write makes a part, which is merged again and again. Nobody waits for this log. -->
    <flush_interval_milliseconds>{part_log_milliseconds}</flush_interval_milliseconds>
    <max_size_rows>65536</max_size_rows>
  </part_log>{storage}{remote_servers}
</clickhouse>
"""

LOGGERS_OF_STATEMENTS: Final = ("executeQuery", "DynamicQueryHandler", "HTTPHandler", "TCPHandler")
"""Loggers of ClickHouse that write whole statements, or errors in which ClickHouse quotes them."""

_SILENT: Final = """
      <logger><name>{name}</name><level>none</level></logger>"""

COLD_DISK: Final = "<cold>"
"""Text that only the configuration of a node with a cold volume contains. The name of its disk."""

_STORAGE: Final = """
  <storage_configuration>
    <disks>{disk}<path>{cold}/</path></cold></disks>
    <policies>
      <{policy}>
        <volumes>
          <!-- Volume and disk of new tables. A table can change to a policy that has the disks of its present one. -->
          <default><disk>default</disk></default>
          <cold><disk>cold</disk></cold>
        </volumes>
        <!-- Loaders choose what moves. With a larger factor, the server looks through all parts of a full disk. -->
        <move_factor>0</move_factor>
      </{policy}>
    </policies>
  </storage_configuration>"""

_SHARD: Final = """
      <shard>
        <replica>
          <host>127.0.0.1</host>
          <port>{port}</port>
        </replica>
      </shard>"""

_USERS: Final = """\
<clickhouse>
  <profiles>
    <default>
      <session_timezone>UTC</session_timezone>
    </default>
    <node>
      <max_sessions_for_user>1</max_sessions_for_user>
    </node>
    <query>
      <readonly>2</readonly>
      <session_timezone>UTC</session_timezone>
    </query>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <{user}>
      <password_sha256_hex>{password_sha256}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <access_management>1</access_management>
      <named_collection_control>1</named_collection_control>
    </{user}>
    <!-- The user of searches. It may read the rows of one tenant, whose number is in the setting log_comment. -->
    <{query_user}>
      <password_sha256_hex>{query_password_sha256}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <profile>query</profile>
      <quota>default</quota>
      <grants>{grants}</grants>
      <databases><{database}>{policies}</{database}>{hidden}</databases>
    </{query_user}>{node_user}
  </users>
</clickhouse>
"""

_NODE_USER: Final = """
    <!-- clickhouse-local runs its own query as `default` without a password. That session is the only one the profile
         allows, and it ends with the process: a client that tries to be `default` is refused with code 700. -->
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>node</profile>
      <quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>"""


@dataclass(frozen=True, slots=True)
class Cluster:
    """The nodes that Distributed tables read, one for each shard in one replica of the store, and the secret that they
    share.

    A node that proves to know the secret may run statements on other nodes as the user who sent them. That user's row
    policies and rights therefore apply on every shard.
    """

    name: str
    native_ports: tuple[int, ...]
    secret: str


def render_config(
    node: Node, logs: Path, memory_limit: int, cluster: Cluster | None = None, cold: Path | None = None
) -> str:
    """Returns config.xml of a node. `memory_limit` is in bytes; the server's log goes into the folder `logs`.

    It has the cluster's secret if there is a cluster. `cold` is the folder of the cold volume.
    """
    return _CONFIG.format(
        data=escape(str(node.data)),
        users_file=escape(str(node.users_file)),
        http_port=node.http_port,
        native_port=node.native_port,
        log_file=escape(str(logs / f"clickhouse-{node.name}-server.log")),
        error_log_file=escape(str(logs / f"clickhouse-{node.name}-server.err.log")),
        memory_limit=memory_limit,
        merge_threads=MERGE_THREADS,
        silent_loggers="".join(_SILENT.format(name=name) for name in LOGGERS_OF_STATEMENTS),
        query_log_days=QUERY_LOG_DAYS,
        part_log_days=PART_LOG_DAYS,
        query_log_milliseconds=QUERY_LOG_MILLISECONDS,
        part_log_milliseconds=PART_LOG_MILLISECONDS,
        storage=""
        if cold is None
        else _STORAGE.format(disk=COLD_DISK, cold=escape(str(cold)), policy=OWN_STORAGE_POLICY),
        remote_servers="" if cluster is None else _remote_servers(cluster),
    )


def _remote_servers(cluster: Cluster) -> str:
    shards = "".join(_SHARD.format(port=port) for port in cluster.native_ports)
    return (
        f"\n  <remote_servers>\n    <{cluster.name}>\n      <secret>{escape(cluster.secret)}</secret>{shards}"
        f"\n    </{cluster.name}>\n  </remote_servers>"
    )


def render_users(settings: Settings, password: str, query_password: str, embedded: bool) -> str:
    """Returns users.xml with the owner and the user of searches. `embedded` adds the user `default`, who runs the
    embedded engine's own query."""
    database, tables = settings.clickhouse_database, readable_tables(settings)
    return _USERS.format(
        user=settings.clickhouse_user,
        password_sha256=hashlib.sha256(password.encode()).hexdigest(),
        query_user=settings.clickhouse_query_user,
        query_password_sha256=hashlib.sha256(query_password.encode()).hexdigest(),
        grants="".join(f"<query>GRANT SELECT ON {each}</query>" for each in (INDEX_CATALOG, PROJECTION_CATALOG))
        + f"<query>GRANT SELECT({', '.join(WORK_COLUMNS)}) ON {WORK_LOG}</query>"
        + "".join(f"<query>GRANT SELECT ON {database}.{table}</query>" for table in tables),
        database=database,
        policies="".join(f"<{table}><filter>{escape(POLICY)}</filter></{table}>" for table in tables),
        hidden=_filtered("system", dict.fromkeys(HIDDEN_TABLES, "0") | {WORK_LOG.removeprefix("system."): WORK_POLICY})
        + _filtered(FUNCTION_DATABASE, dict.fromkeys(HIDDEN_FUNCTIONS, "0")),
        node_user=_NODE_USER if embedded else "",
    )


def _filtered(database: str, filters: Mapping[str, str]) -> str:
    """Returns the row policies of the database's tables. The filter `0` lets no row through."""
    policies = (f"<{table}><filter>{escape(sql)}</filter></{table}>" for table, sql in filters.items())
    return f"<{database}>" + "".join(policies) + f"</{database}>"
