"""Ports and folders of one ClickHouse node. Nodes on one machine differ by their index."""

from dataclasses import dataclass
from pathlib import Path

from kit.settings import CLICKHOUSE_PORT_STEP, Settings


@dataclass(frozen=True, slots=True)
class Node:
    """One ClickHouse server process on loopback."""

    index: int
    http_port: int
    native_port: int
    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def config_file(self) -> Path:
        return self.root / "config.xml"

    @property
    def users_file(self) -> Path:
        return self.root / "users.xml"


def node(settings: Settings, index: int = 0) -> Node:
    """Returns the node with this index under home."""
    return Node(
        index=index,
        http_port=settings.port(settings.clickhouse_http_port) + CLICKHOUSE_PORT_STEP * index,
        native_port=settings.port(settings.clickhouse_native_port) + CLICKHOUSE_PORT_STEP * index,
        root=settings.home.resolve() / "clickhouse" / f"node-{index}",
    )


def nodes(settings: Settings) -> tuple[Node, ...]:
    """Returns all nodes that `up` starts, one for each shard."""
    return tuple(node(settings, index) for index in range(settings.clickhouse_nodes))
