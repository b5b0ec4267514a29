"""Remembers how many shards and replicas `logsieve up` starts, so that every later command finds them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kit.errors import Conflict, InvalidRequest
from kit.own_nodes import kept_own_nodes, own_nodes_file
from kit.settings import Settings
from stack.files import restored_on_error, write_atomically


def choose_nodes(settings: Settings, shards: int | None, replicas: int | None, *, is_running: bool) -> Settings:
    """Returns the settings with the numbers of shards and replicas to start. A number that is None stays as it is.
    `keep_chosen_nodes` stores the numbers.

    Raises InvalidRequest if settings name the servers already. Raises Conflict if the stack runs with other numbers, or
    if `shards` is smaller than before, because searches would not find the rows of the removed shards.
    """
    if settings.clickhouse_url is not None or settings.model_fields_set & {"clickhouse_nodes", "clickhouse_replicas"}:
        raise InvalidRequest(
            "the settings name the ClickHouse nodes already: unset LOGSIEVE_CLICKHOUSE_URL, LOGSIEVE_CLICKHOUSE_NODES"
            " and LOGSIEVE_CLICKHOUSE_REPLICAS, or leave out --shards and --replicas"
        )
    before = settings.own_nodes
    wanted = shards or before[0], replicas or before[1]
    if wanted == before:
        return settings
    if is_running:
        raise Conflict(f"the stack runs with {before[0]} shards of {before[1]} replicas: run `logsieve down` first")
    if wanted[0] < before[0]:
        raise Conflict(
            f"the stack has {before[0]} shards, but --shards is {wanted[0]}: give {before[0]} or more, because searches"
            " would not find the rows of removed shards"
        )
    return settings.model_copy(update={"clickhouse_nodes": wanted[0], "clickhouse_replicas": wanted[1]})


def keep_chosen_nodes(settings: Settings) -> None:
    """Stores the numbers that `choose_nodes` returned in these settings, in a file under home."""
    _keep(settings, *settings.own_nodes)


@contextmanager
def kept_unless_refused(settings: Settings, keep: Callable[[Settings], None]) -> Iterator[None]:
    """Stores the numbers by `keep`, then runs the block, which starts the stack. If the block raises, restores the
    earlier numbers: a start that is refused must not store a number of shards, because that number can never shrink.

    If this process is killed meanwhile, the new numbers stay, because searches with fewer shards than were started
    would not find all rows.
    """
    with restored_on_error(own_nodes_file(settings.home)):
        keep(settings)
        yield


def require_kept_shards(settings: Settings) -> None:
    """Raises Conflict if the settings have fewer shards than `keep_set_nodes` has stored, because searches would not
    find the rows of the removed shards."""
    if settings.clickhouse_url is not None:
        return
    kept, wanted = kept_own_nodes(settings.home) or (1, 1), settings.own_nodes
    if wanted[0] < kept[0]:
        raise Conflict(
            f"the stack has {kept[0]} shards, but LOGSIEVE_CLICKHOUSE_NODES is {wanted[0]}: set {kept[0]} or more, or "
            "unset it, because searches would not find the rows of removed shards"
        )


def keep_set_nodes(settings: Settings) -> None:
    """Stores the numbers of shards and replicas of the settings that `up` starts, if a number is larger than the stored
    one."""
    if settings.clickhouse_url is not None:
        return
    kept, started = kept_own_nodes(settings.home) or (1, 1), settings.own_nodes
    largest = max(kept[0], started[0]), max(kept[1], started[1])
    if largest != kept:
        _keep(settings, *largest)


def _keep(settings: Settings, shards: int, replicas: int) -> None:
    file = own_nodes_file(settings.home)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(file, f"{shards} {replicas}\n")
