"""Shards of the log store and their replicas: the servers that the setting `clickhouse_url` names, or that `up` starts.

A shard has a part of the rows, and each of its replicas has all rows of this part. Replica n of the store is the n-th
server of every shard: together they have all rows, and loaders with a consumer group of their own fill them
(docs/decisions/0037-how-replicas-are-read.md).
"""

from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

MAX_REPLICAS: Final = 9
"""Largest number of replicas. The ports of a shard's nodes that `up` starts follow each other, and the next shard's are
ten higher."""

_DEFAULT_PORTS: Final = {"http": 8123, "https": 8443}
"""ClickHouse's own ports of HTTP, by the scheme of a URL."""

_EXAMPLE: Final = "http://127.0.0.1:8123"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Shard and replica of one server. Shards and replicas count from 0, in the order of the URLs."""

    shard: int
    replica: int


FIRST: Final = Place(0, 0)


@dataclass(frozen=True, slots=True)
class Topology:
    """URLs of all servers, by shard and then by replica. Each has a port. All shards have the same number of
    replicas."""

    shards: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, text: str) -> Self:
        """Reads URLs: `,` separates shards, `|` the replicas of one shard, as in `http://a|http://b,http://c|http://d`.
        A comma may follow the last shard. A URL without a port gets ClickHouse's port of its scheme.

        Raises ValueError if a URL is missing, is not that of an HTTP server, has more than scheme, host and port, or is
        there twice, or if the shards have different numbers of replicas.
        """
        _require_no_more_than_addresses(text)
        # A shard without a URL is not left out, because intents name the shards behind it by their numbers.
        named = text.strip().removesuffix(",").split(",")
        shards = [tuple(url.strip().rstrip("/") for url in shard.split("|")) for shard in named]
        if not all(url for shard in shards for url in shard):
            raise ValueError(f"LOGSIEVE_CLICKHOUSE_URL is {text!r}: give a URL for each replica of each shard")
        shards = [tuple(_address(url) for url in shard) for shard in shards]
        urls = [url for shard in shards for url in shard]
        for url in urls:
            if urls.count(url) > 1:
                raise ValueError(f"LOGSIEVE_CLICKHOUSE_URL has {url!r} twice: give each server once")
        if len(counts := {len(shard) for shard in shards}) > 1 or max(counts) > MAX_REPLICAS:
            numbers = ", ".join(str(len(shard)) for shard in shards)
            raise ValueError(
                f"LOGSIEVE_CLICKHOUSE_URL names {numbers} replicas of the shards: give every shard the same number, at"
                f" most {MAX_REPLICAS}"
            )
        return cls(tuple(shards))

    @property
    def text(self) -> str:
        """The URLs in the form that `read` takes."""
        return ",".join("|".join(replicas) for replicas in self.shards)

    @property
    def replicas(self) -> int:
        """Number of replicas of every shard."""
        return len(self.shards[0])

    @property
    def places(self) -> tuple[Place, ...]:
        """All servers, ordered by replica and then by shard."""
        return tuple(Place(shard, replica) for replica in range(self.replicas) for shard in range(len(self.shards)))

    def url(self, place: Place) -> str:
        """Returns the URL of one server."""
        return self.shards[place.shard][place.replica]

    def of_replica(self, replica: int) -> tuple[str, ...]:
        """Returns the URLs of one replica of the store, one for each shard."""
        return tuple(shard[replica] for shard in self.shards)

    def name(self, place: Place) -> str:
        """Returns a text that names the server among all servers, such as `shard 1, replica 0`. The text is empty if
        there is only one server."""
        shard = f"shard {place.shard}" if len(self.shards) > 1 else ""
        replica = f"replica {place.replica}" if self.replicas > 1 else ""
        return ", ".join(filter(None, (shard, replica)))


def _require_no_more_than_addresses(text: str) -> None:
    """Raises ValueError for parts of URLs that other settings hold. The error does not show the text, which may have a
    password."""
    if "@" in text:
        raise ValueError(
            f"LOGSIEVE_CLICKHOUSE_URL has a user or a password: give only URLs such as {_EXAMPLE}, and set"
            " LOGSIEVE_CLICKHOUSE_USER and LOGSIEVE_CLICKHOUSE_PASSWORD"
        )
    if "?" in text or "#" in text:
        raise ValueError(
            f"LOGSIEVE_CLICKHOUSE_URL has a query or a fragment: give only URLs such as {_EXAMPLE}, and set"
            " LOGSIEVE_CLICKHOUSE_USER, LOGSIEVE_CLICKHOUSE_PASSWORD and LOGSIEVE_CLICKHOUSE_DATABASE"
        )


def _address(url: str) -> str:
    """Returns the URL with its port.

    Raises ValueError unless the URL has the scheme http or https, a host and a valid port, and no path. Clients would
    otherwise use their defaults, and connect to another server.
    """
    try:
        parts = urlsplit(url)
        default, port = _DEFAULT_PORTS.get(parts.scheme), parts.port
    except ValueError:
        default = port = None
    if default is None or not parts.hostname or port == 0:
        raise ValueError(f"LOGSIEVE_CLICKHOUSE_URL has {url!r}, which is not a URL: give one such as {_EXAMPLE}")
    if parts.path:
        raise ValueError(
            f"LOGSIEVE_CLICKHOUSE_URL has {url!r}, which has a path: give only URLs such as {_EXAMPLE}, and set"
            " LOGSIEVE_CLICKHOUSE_DATABASE to the database"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{default if port is None else port}"
