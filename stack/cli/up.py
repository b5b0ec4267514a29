"""`logsieve up`."""

import json
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape

from kit.clock import Clock, SystemClock
from kit.errors import Conflict, Internal
from kit.kafka_settings import MAX_OWN_BROKERS
from kit.server.certificates import certificates
from kit.settings import Settings
from kit.topology import MAX_REPLICAS
from stack.broker.choose_brokers import choose_brokers, kept_brokers
from stack.cli.console import errors, output
from stack.cli.summary import sign_in_url, summarize
from stack.clickhouse.choose_nodes import (
    choose_nodes,
    keep_chosen_nodes,
    keep_set_nodes,
    kept_unless_refused,
    require_kept_shards,
)
from stack.first_samples import require_sendable
from stack.launch import end_leftovers, failure, require_unlocked, running_state, start_supervisor, stop_supervisor
from stack.logfile import tail
from stack.running_settings import settings_of
from stack.services import CLICKHOUSE, MIGRATE, SAMPLES, Service, select, services
from stack.state import Phase, StackState

_POLL_SECONDS: Final = 0.1


def up(
    only: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SERVICE]...", help="Services to start, with the services that they need; all when left out."
        ),
    ] = None,
    samples: Annotated[bool, typer.Option(help="Load the sample logs, unless they were loaded before.")] = True,
    shards: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=16,
            help="ClickHouse shards; later commands use the same number, which can only grow. Default: 1.",
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_REPLICAS,
            help="ClickHouse nodes of each shard; later commands use the same number. Default: 1.",
        ),
    ] = None,
    brokers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_OWN_BROKERS,
            help="Kafka brokers: 1, or 3, each with a copy of every message. Later commands use the same number. It "
            "cannot change after the first start. Default: 1.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            help="Seconds to wait until everything is ready. The time of a migration does not count while all started "
            "services answer."
        ),
    ] = 180.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Start the one-machine stack in the background and wait until it is ready."""
    settings, clock, progress = Settings(), SystemClock(), errors()
    state = running_state(settings)
    if state is not None:
        _require_same_offset(settings, state)
        settings = settings_of(state, settings)
    are_chosen = shards is not None or replicas is not None
    if are_chosen:
        settings = choose_nodes(settings, shards, replicas, is_running=state is not None)
    if brokers is not None:
        settings = choose_brokers(settings, brokers, is_running=state is not None)
    if state is not None:
        select(services(settings), only or [])
        if stopped := [name for name in only or _all(settings) if state.service(name) is None]:
            raise Conflict(f"the stack runs without {', '.join(stopped)}: run `logsieve down` first")
        progress.print("the stack is running already", highlight=False)
        _follow(settings, state, timeout, clock, progress)
    else:
        kept = _wanted(settings, only or [], samples)
        # The processes would find the same, but only when the stores have started and ended again.
        certificates(settings, clock, requires_client_certificates=True)
        if any(service.name == SAMPLES for service in kept):
            require_sendable(settings)
        numbers = _kept_numbers(settings, kept, are_nodes_chosen=are_chosen, are_brokers_chosen=brokers is not None)
        started = _started(settings, kept, numbers, clock, progress)
        _follow_or_stop(settings, started, timeout, clock, progress)
    state = running_state(settings)
    if state is None:
        raise Internal("the stack ended right after its start; `logsieve status` says why")
    summary = summarize(settings, state).model_copy(update={"sign_in_url": sign_in_url(settings, clock)})
    if as_json:
        output().print_json(json.dumps(summary.model_dump(mode="json")))
    else:
        summary.show(output())


def _require_same_offset(settings: Settings, state: StackState) -> None:
    if "port_offset" in settings.model_fields_set and settings.port_offset != state.port_offset:
        raise Conflict(
            f"the stack runs at port offset {state.port_offset}, and LOGSIEVE_PORT_OFFSET is {settings.port_offset}:"
            " run `logsieve down` first, or unset LOGSIEVE_PORT_OFFSET"
        )


def _all(settings: Settings) -> list[str]:
    """Returns the names of the services that `up` starts without names, except that of the optional samples."""
    return [each.name for each in services(settings) if each.name != SAMPLES]


def _wanted(settings: Settings, only: list[str], samples: bool) -> tuple[Service, ...]:
    every = services(settings)
    kept = select(every, only)
    return kept if samples else tuple(service for service in kept if service.name != SAMPLES)


@contextmanager
def _kept_numbers(
    settings: Settings, kept: tuple[Service, ...], *, are_nodes_chosen: bool, are_brokers_chosen: bool
) -> Iterator[None]:
    """Stores the numbers of nodes and brokers before the block, which starts the stack, and restores the earlier ones
    if the block raises."""
    keep = keep_chosen_nodes if are_nodes_chosen else keep_set_nodes
    with ExitStack() as stack:
        if are_nodes_chosen or any(service.name.startswith(CLICKHOUSE) for service in kept):
            stack.enter_context(kept_unless_refused(settings, keep))
        if are_brokers_chosen:
            stack.enter_context(kept_brokers(settings))
        yield


def _started(
    settings: Settings,
    kept: tuple[Service, ...],
    numbers: AbstractContextManager[None],
    clock: Clock,
    progress: Console,
) -> StackState:
    """Starts these services within the block of `numbers`, unless another command starts or stops the stack."""
    require_unlocked(settings)
    for sentence in end_leftovers(settings, clock):
        progress.print(sentence, style="yellow", highlight=False)
    require_kept_shards(settings)
    with numbers:
        return start_supervisor(settings, kept, clock)


def _follow_or_stop(settings: Settings, state: StackState, timeout: float, clock: Clock, progress: Console) -> None:
    try:
        _follow(settings, state, timeout, clock, progress)
    except (Internal, KeyboardInterrupt):
        progress.print("stopping the services that were started", highlight=False)
        stop_supervisor(state, settings, clock)
        raise


def _follow(settings: Settings, first: StackState, timeout: float, clock: Clock, progress: Console) -> None:
    """Prints a line for each service that becomes ready and, without a terminal, for each step of a migration. Raises
    Internal if a service fails or the time is up."""
    started = counted_from = clock.monotonic()
    reported = {service.name for service in first.services if service.phase.settled}
    state, shown = first, ""
    with progress.status("starting") as spinner:
        while True:
            for service in state.services:
                if service.phase.settled and service.name not in reported:
                    reported.add(service.name)
                    progress.print(f"{service.name:<11} {service.phase} after {clock.monotonic() - started:.1f} s")
            waiting = [service for service in state.services if service.name not in reported]
            if not waiting:
                return
            if problem := failure(state, settings):
                raise Internal(problem)
            migration = _running_migration(state)
            if migration is not None and not _is_any_down(state):
                # The upgrade of large tables may take hours. To stop ClickHouse meanwhile would only make it longer.
                counted_from = clock.monotonic()
            elif clock.monotonic() - counted_from > timeout:
                unsettled = [service for service in state.services if not service.phase.settled]
                reasons = "; ".join(f"{s.name} is {s.phase} {s.detail}".strip() for s in unsettled)
                raise Internal(f"not ready after {timeout:g} s: {reasons}")
            active = [service.name for service in waiting if service.phase is not Phase.waiting]
            if migration and migration != shown and not progress.is_terminal:
                # Without a terminal there is no spinner, which would show the step.
                progress.print(f"{MIGRATE:<11} {migration}", markup=False, highlight=False)
                shown = migration
            step = f": {escape(migration)}" if migration else ""
            spinner.update(f"starting {', '.join(active) or waiting[0].name}{step}")
            time.sleep(_POLL_SECONDS)
            state = running_state(settings) or state


def _is_any_down(state: StackState) -> bool:
    """Returns whether a service that was started does not answer, or is started again. A migration that needs it cannot
    end before it answers."""
    return any(
        service.phase in (Phase.unhealthy, Phase.backing_off) or (service.phase is Phase.starting and service.restarts)
        for service in state.services
    )


def _running_migration(state: StackState) -> str | None:
    """Returns the last line of a running migration, which names its step; empty if it has written none. Returns None if
    no migration runs."""
    migrate = state.service(MIGRATE)
    if migrate is None or migrate.phase is not Phase.starting:
        return None
    log = migrate.log_file
    if log is None or not log.exists() or log.stat().st_mtime_ns < (migrate.started_ns or 0):
        # The lines are of an earlier migration.
        return ""
    return "".join(tail(log, 1))
