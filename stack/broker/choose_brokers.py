"""Remembers how many brokers `logsieve up` starts, so that every later command finds them."""

from kit.errors import Conflict, InvalidRequest
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.settings import Settings
from stack.broker.node import brokers
from stack.files import write_atomically


def choose_brokers(settings: Settings, wanted: int, *, is_running: bool) -> None:
    """Stores the number of brokers to start, in a file under home.

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
        return
    if is_running:
        raise Conflict(f"the stack runs with --brokers {before}: run `logsieve down` first")
    first = brokers(settings)[0]
    if first.is_formatted:
        raise Conflict(
            f"{first.root} has the data of a stack with --brokers {before}, and their number cannot change: start in "
            "another LOGSIEVE_HOME"
        )
    write_atomically(settings.own_brokers_file, f"{wanted}\n", mode=0o600)
