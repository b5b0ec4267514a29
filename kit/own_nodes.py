"""Numbers of ClickHouse shards and replicas that `logsieve up` keeps in a file under LOGSIEVE_HOME."""

from pathlib import Path


def own_nodes_file(home: Path) -> Path:
    """Returns the file in which `up` keeps the numbers of shards and replicas that it started."""
    return home / "clickhouse" / "shards-and-replicas"


def kept_own_nodes(home: Path) -> tuple[int, int] | None:
    """Returns the kept numbers of shards and replicas, or None if `up` has kept none."""
    file = own_nodes_file(home)
    if not file.exists():
        return None
    shards, replicas = file.read_text().split()
    return int(shards), int(replicas)
