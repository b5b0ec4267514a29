import hashlib
from pathlib import Path
from xml.etree import ElementTree

from kit.settings import Settings
from kit.topology import Place
from schema.clickhouse.query_user import POLICY, WORK_COLUMNS, WORK_POLICY, readable_tables
from stack.broker.accounts import Accounts
from stack.broker.node import brokers
from stack.broker.properties import render_properties
from stack.clickhouse.config import Cluster, render_config, render_users
from stack.clickhouse.node import node, nodes
from stack.clickhouse.prepare import cluster_of

SETTINGS = Settings(home=Path("/srv/a & b"), port_offset=300)


def test_nodes_are_ten_ports_apart_in_folders_of_their_own() -> None:
    first, second = node(SETTINGS), node(SETTINGS, Place(1, 0))
    assert (first.http_port, first.native_port) == (8423, 9300)
    assert (second.http_port, second.native_port) == (8433, 9310)
    assert first.root != second.root


def test_config_has_the_nodes_paths_and_ports() -> None:
    config = ElementTree.fromstring(render_config(node(SETTINGS), Path("/srv/logs"), memory_limit=1234))
    assert config.findtext("path") == "/srv/a & b/clickhouse/node-0/data/"
    assert config.findtext("http_port") == "8423"
    assert config.findtext("listen_host") == "127.0.0.1"
    assert config.findtext("max_server_memory_usage") == "1234"
    silent = {
        each.findtext("name") for each in config.iterfind("logger/levels/logger") if each.findtext("level") == "none"
    }
    assert {"executeQuery", "DynamicQueryHandler", "TCPHandler"} <= silent
    assert "INTERVAL 3 DAY" in (config.findtext("query_log/ttl") or "")


def test_only_the_log_that_users_wait_for_is_written_every_two_seconds() -> None:
    config = ElementTree.fromstring(render_config(node(SETTINGS), Path("/srv/logs"), memory_limit=1234))
    intervals = {log: config.findtext(f"{log}/flush_interval_milliseconds") for log in ("query_log", "part_log")}
    assert intervals == {"query_log": "2000", "part_log": "10000"}


def test_one_node_knows_of_no_cluster() -> None:
    config = ElementTree.fromstring(render_config(node(SETTINGS), Path("/srv/logs"), memory_limit=1234))
    assert config.find("remote_servers") is None


def test_a_cluster_has_a_shard_for_each_node_and_the_secret_they_share() -> None:
    cluster = Cluster("logs", (9300, 9310), "<&>")
    config = ElementTree.fromstring(render_config(node(SETTINGS), Path("/srv/logs"), 1234, cluster))
    replicas = config.findall("remote_servers/logs/shard/replica")
    assert [replica.findtext("port") for replica in replicas] == ["9300", "9310"]
    assert config.findtext("remote_servers/logs/secret") == "<&>"


def test_nodes_of_a_replica_read_no_other_replica() -> None:
    settings = Settings(home=Path("/srv/a"), clickhouse_nodes=2, clickhouse_replicas=2, clickhouse_password="s3cret")
    clusters = [cluster_of(settings, each) for each in nodes(settings)]
    ports = {each.place: each.native_port for each in nodes(settings)}
    assert [cluster.native_ports for cluster in clusters if cluster] == [
        (ports[Place(0, replica)], ports[Place(1, replica)]) for replica in (0, 0, 1, 1)
    ]
    assert len({cluster.secret for cluster in clusters if cluster}) == 1


def test_users_file_has_the_hash_and_never_the_password() -> None:
    text = render_users(SETTINGS, "s3cret", "qu3ry", embedded=False)
    users = ElementTree.fromstring(text).find("users")
    assert users is not None
    assert [user.tag for user in users] == ["logsieve", "logsieve_query"]
    assert users.findtext("logsieve/password_sha256_hex") == hashlib.sha256(b"s3cret").hexdigest()
    assert "s3cret" not in text
    assert "qu3ry" not in text


def test_every_table_that_searches_may_read_has_a_row_policy() -> None:
    root = ElementTree.fromstring(render_users(SETTINGS, "s3cret", "qu3ry", embedded=True))
    granted = [grant.text for grant in root.iterfind("users/logsieve_query/grants/query")]
    filters = root.find("users/logsieve_query/databases/logsieve")
    assert filters is not None
    assert granted[:2] == [f"GRANT SELECT ON system.{name}" for name in ("data_skipping_indices", "projections")]
    assert granted[2] == f"GRANT SELECT({', '.join(WORK_COLUMNS)}) ON system.query_log"
    assert granted[3:] == [f"GRANT SELECT ON logsieve.{table.tag}" for table in filters]
    assert {table.findtext("filter") for table in filters} == {POLICY}
    assert [table.tag for table in filters] == list(readable_tables(SETTINGS))
    assert root.findtext("users/logsieve_query/databases/system/query_log/filter") == WORK_POLICY


def test_embedded_engine_gets_a_default_user_nobody_else_can_use() -> None:
    root = ElementTree.fromstring(render_users(SETTINGS, "s3cret", "qu3ry", embedded=True))
    profile = root.findtext("users/default/profile")
    assert root.findtext(f"profiles/{profile}/max_sessions_for_user") == "1"
    assert root.findtext("users/default/grants/query") == "GRANT SYSTEM LISTEN ON *.*"


def test_broker_listens_on_loopback_at_shifted_ports() -> None:
    text = render_properties(brokers(SETTINGS)[0], Accounts("logsieve", "s3cret", "0wn"))
    properties = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
    assert properties["listeners"] == "CLIENT://127.0.0.1:9392,CONTROLLER://127.0.0.1:9393"
    assert properties["auto.create.topics.enable"] == "false"
    assert int(properties["message.max.bytes"]) == 20 * 2**20
