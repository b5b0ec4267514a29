"""Ports and folders of one ClickHouse node. Nodes on one machine differ by their shard and replica."""

from dataclasses import dataclass
from pathlib import Path

from kit.settings import Settings
from kit.store_settings import CLICKHOUSE_PORT_STEP
from kit.topology import FIRST, Place


@dataclass(frozen=True, slots=True)
class Node:
    """One ClickHouse server process on loopback."""

    place: Place
    http_port: int
    native_port: int
    root: Path

    @property
    def name(self) -> str:
        """Name of the server in names of services and files: the number of its shard, and of its replica if that is not
        0."""
        return f"{self.place.shard}" + (f"-replica-{self.place.replica}" if self.place.replica else "")

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def config_file(self) -> Path:
        return self.root / "config.xml"

    @property
    def users_file(self) -> Path:
        return self.root / "users.xml"


def node(settings: Settings, place: Place = FIRST) -> Node:
    """Returns the node of one shard and replica under home."""
    above = CLICKHOUSE_PORT_STEP * place.shard + place.replica
    suffix = f"-replica-{place.replica}" if place.replica else ""
    return Node(
        place=place,
        http_port=settings.port(settings.clickhouse_http_port) + above,
        native_port=settings.port(settings.clickhouse_native_port) + above,
        root=settings.home.resolve() / "clickhouse" / f"node-{place.shard}{suffix}",
    )


def nodes(settings: Settings) -> tuple[Node, ...]:
    """Returns all nodes that `up` starts, one for each replica of each shard."""
    return tuple(node(settings, place) for place in settings.topology.places)
