"""Remembers how many shards and replicas `logsieve up` starts, so that every later command finds them."""

from kit.errors import Conflict, InvalidRequest
from kit.settings import Settings
from stack.files import write_atomically


def choose_nodes(settings: Settings, shards: int | None, replicas: int | None, *, is_running: bool) -> None:
    """Writes the numbers of shards and replicas to start under home. None leaves a number as it is.

    Raises InvalidRequest if settings name the servers already. Raises Conflict if other nodes are running, or if there
    were more shards, because the rows of the others would not be found.
    """
    if settings.clickhouse_url is not None or settings.model_fields_set & {"clickhouse_nodes", "clickhouse_replicas"}:
        raise InvalidRequest(
            "the settings name the ClickHouse nodes already: unset LOGSIEVE_CLICKHOUSE_URL, LOGSIEVE_CLICKHOUSE_NODES"
            " and LOGSIEVE_CLICKHOUSE_REPLICAS, or leave out --shards and --replicas"
        )
    before = settings.own_nodes
    wanted = shards or before[0], replicas or before[1]
    if wanted == before:
        return
    if is_running:
        raise Conflict(f"the stack runs with {before[0]} shards of {before[1]} replicas: run `logsieve down` first")
    if wanted[0] < before[0]:
        raise Conflict(
            f"there are {before[0]} shards, and --shards is {wanted[0]}: shards can be added, not removed, because"
            " their rows would not be found any more"
        )
    settings.own_nodes_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(settings.own_nodes_file, f"{wanted[0]} {wanted[1]}\n")
