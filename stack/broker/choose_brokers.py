"""Remembers how many brokers `logsieve up` starts, so that every later command finds them."""

from collections.abc import Iterator
from contextlib import contextmanager

from kit.errors import Conflict, InvalidRequest
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.settings import Settings
from stack.broker.node import brokers
from stack.files import restored_on_error, write_atomically


def choose_brokers(settings: Settings, wanted: int, *, is_running: bool) -> Settings:
    """Returns the settings with the number of brokers to start. `kept_brokers` stores it.

    Raises InvalidRequest unless `wanted` is 1 or 3, and if settings name the brokers already. Raises Conflict if the
    stack runs with another number, or the brokers have data, because existing topics would keep their number of
    replicas.
    """
    if wanted not in (1, MAX_OWN_BROKERS):
        raise InvalidRequest(
            f"--brokers is {wanted}: give 1 or {MAX_OWN_BROKERS}. Two brokers would stop as soon as one of them stops, "
            f"and more than {MAX_OWN_BROKERS} are not supported"
        )
    if settings.kafka_bootstrap is not None or "kafka_nodes" in settings.model_fields_set:
        raise InvalidRequest(
            "the settings name the brokers already: unset LOGSIEVE_KAFKA_BOOTSTRAP and LOGSIEVE_KAFKA_NODES, or leave "
            "out --brokers"
        )
    before = settings.own_brokers
    if wanted == before:
        return settings
    if is_running:
        raise Conflict(f"the stack runs with --brokers {before}: run `logsieve down` first")
    first = brokers(settings)[0]
    if first.is_formatted:
        raise Conflict(
            f"{first.root} has the data of a stack with --brokers {before}, and their number cannot change: start in "
            "another LOGSIEVE_HOME"
        )
    return settings.model_copy(update={"kafka_nodes": wanted})


@contextmanager
def kept_brokers(settings: Settings) -> Iterator[None]:
    """Stores the number of brokers of these settings, in a file under home, before the block, which starts the stack.
    Restores the earlier number if the block raises, so that a start that is refused changes nothing."""
    with restored_on_error(settings.own_brokers_file):
        write_atomically(settings.own_brokers_file, f"{settings.own_brokers}\n", mode=0o600)
        yield
