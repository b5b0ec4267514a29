"""What one ClickHouse node is: its ports and its folders. Several live side by side, told apart by their index."""

from dataclasses import dataclass
from pathlib import Path

from kit.settings import Settings

PORT_STEP = 10
"""Between the ports of one node and the next (contract.md)."""


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
    """The node with this index under home."""
    return Node(
        index=index,
        http_port=settings.port(settings.clickhouse_http_port) + PORT_STEP * index,
        native_port=settings.port(settings.clickhouse_native_port) + PORT_STEP * index,
        root=settings.home.resolve() / "clickhouse" / f"node-{index}",
    )
