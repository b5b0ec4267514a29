"""`logsieve tenant erasures`, and the progress of `logsieve tenant delete --wait`."""

import dataclasses
import json
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table

from kit.settings import Settings
from stack.cli.console import errors, output
from stack.running_settings import running_settings

if TYPE_CHECKING:
    from schema.control.erasures import Erasure
    from schema.control.restored_places import RestoredPlace

_POLL_SECONDS: Final = 1.0

_WAITS_FOR: Final = {
    "waiting": "until receivers no longer accept its records",
    "loading": "for loaders",
    "deleting": "for ClickHouse",
    "removing": "for ClickHouse",
    "erased": "",
}


def erasures(
    name: Annotated[
        str | None, typer.Argument(help="Name of the deleted tenant, or #NUMBER; all deleted tenants when left out.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Show progress until NAME is erased.")] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Erase all deleted tenants again, give new tenants larger ids than all stored logs have, and let"
            " searches read all lanes, cohorts and shards that have logs of their tenant. Use it after a backup was"
            " restored.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Show the progress of erasing deleted tenants. With a name, show the proof: the entries found and left."""
    from backend.tenants.erasures import latest
    from stack.cli.control import call_erasures

    if wait and name is None:
        raise typer.BadParameter("--wait needs the NAME of one tenant")
    settings = Settings()
    if again:
        _after_restore(settings)
    if wait and name is not None:
        watch(settings, name)
    found = call_erasures(settings, lambda service: service.erasures(name))
    if as_json:
        output().print_json(json.dumps([_json(each) for each in found]))
        return
    if name is not None:
        for store in settings.consumer_groups:
            show_proof(latest(found, store) or found[0], several=settings.topology.replicas > 1)
        return
    table = Table("tenant", "number", "consumer group", "phase", "waits for", box=None, pad_edge=False)
    for each in found:
        table.add_row(each.name, f"#{each.tenant_id}", each.store, each.progress.phase, _waits_for(each))
    output().print(table)


def _after_restore(settings: Settings) -> None:
    """Adds the lanes, cohorts and shards of stored logs to a restored control plane, and prints those that it added."""
    from schema.clickhouse.stored_places import read_stored_places
    from schema.clickhouse.tenant_ids import largest_counted_id
    from stack.cli.control import call_erasures, call_restored

    def say(text: str) -> None:
        errors().print(text, highlight=False)

    store = running_settings(settings)
    stored = read_stored_places(store, say)
    largest = max([largest_counted_id(store), *(each.tenant_id for each in stored)])
    call_erasures(settings, lambda service: service.erase_all_again(largest))
    places, shards = call_restored(settings, stored, store.shards)
    for place in places:
        say(_described(place))
    for tenant, missing in shards:
        numbers = f"shard{'s' if len(missing) > 1 else ''} {', '.join(map(str, missing))}"
        say(f"tenant {tenant}: searches now read {numbers} too; with the restored control plane, they did not")


def _described(place: "RestoredPlace") -> str:
    from schema.control.restored_places import UNTOUCHED_DAYS

    searched = (
        f"tenant {place.tenant}: searches now read all logs of cohort {place.cohort} in lane {place.lane}; with the"
        f" restored control plane, they did not find all of them. The logs are kept for {place.retention_days} days"
    )
    if not place.chosen:
        return searched
    return (
        f"{searched}. The control plane lacked the retention of this cohort. The command chose one with which none"
        f" of its stored logs is deleted in the next {UNTOUCHED_DAYS} days. If the retention was longer, repeat the"
        " changes of the tenant's cohort and retention within this time"
    )


def watch(settings: Settings, name: str) -> "list[Erasure]":
    """Prints the progress of the erasure of the latest deletion. Returns its erasure in each replica when all are
    finished.

    Needs a running loader, which erases. Raises NotFound if no deleted tenant had that name.
    """
    return [_watch(settings, name, store) for store in settings.consumer_groups]


def _watch(settings: Settings, name: str, store: str) -> "Erasure":
    from backend.tenants.erasures import latest
    from stack.cli.control import call_erasures

    shown = ""
    while True:
        found = latest(call_erasures(settings, lambda service: service.erasures(name)), store)
        assert found is not None, "each replica has an erasure of each deleted tenant"
        if found.erased_at_ns is not None:
            return found
        now = f"{found.progress.phase}: waits {_waits_for(found)}"
        if now != shown:
            errors().print(now, highlight=False)
        shown = now
        time.sleep(_POLL_SECONDS)


def show_proof(erasure: "Erasure", *, several: bool) -> None:
    """Prints for each place how much of the tenant was found and how much is left, and if the tenant is erased.

    Names the consumer group where there are several.
    """
    if several:
        output().print(f"consumer group {erasure.store}:", highlight=False)
    table = Table("place", "found", "left", box=None, pad_edge=False)
    progress = erasure.progress
    for place in sorted(progress.found.keys() | progress.left.keys()):
        table.add_row(place, str(progress.found.get(place, "")), str(progress.left.get(place, "")))
    output().print(table)
    for remark in progress.remarks:
        output().print(remark, highlight=False)
    if erasure.erased_at_ns is None:
        output().print(f"tenant {erasure.name} is not erased yet: waits {_waits_for(erasure)}", highlight=False)
    else:
        output().print(f"tenant {erasure.name} (#{erasure.tenant_id}) is erased: nothing is left", highlight=False)


def _waits_for(erasure: "Erasure") -> str:
    progress = erasure.progress
    return f"{_WAITS_FOR[progress.phase]}{': ' if progress.detail else ''}{progress.detail}"


def _json(erasure: "Erasure") -> dict[str, object]:
    return {
        **{field.name: getattr(erasure, field.name) for field in dataclasses.fields(erasure)},
        "ends": None if erasure.ends is None else erasure.ends.model_dump(mode="json"),
        "progress": erasure.progress.model_dump(mode="json"),
    }
