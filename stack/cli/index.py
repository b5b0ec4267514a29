"""`logsieve index …`."""

import dataclasses
import json
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.table import Table

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.running_settings import running_settings

if TYPE_CHECKING:
    from schema.clickhouse.switch_profile import Progress


def show_profiles(as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False) -> None:
    """Show the index profile of each log table of every server, and the sizes of its indexes on words."""
    from schema.clickhouse.every_server import read_every_server
    from schema.clickhouse.index_sizes import index_sizes

    sizes = list(chain.from_iterable(read_every_server(running_settings(Settings()), index_sizes)))
    if as_json:
        output().print_json(json.dumps([dataclasses.asdict(size) for size in sizes]))
        return
    columns = ("shard", "replica", "table", "profile", "index bytes", "searched words", "body bytes", "compact parts")
    table = Table(*columns, box=None, pad_edge=False)
    for size in sizes:
        profiles = " + ".join(size.profiles) or "none"
        sizes_of_it = (size.index_bytes, size.searched_bytes, size.body_bytes, size.compact_bytes)
        table.add_row(str(size.shard), str(size.replica), size.table, profiles, *map(str, sizes_of_it))
    output().print(table)
    if any(size.compact_bytes for size in sizes):
        errors().print(
            "for compact parts, the size is that of all columns, because ClickHouse does not report the size of bodies"
            " alone",
            style="dim",
            highlight=False,
        )


def use_profile(
    profile: Annotated[Literal["tokenbf", "text"], typer.Argument(help="Index profile to switch to.")],
) -> None:
    """Switch all log tables to this index profile while they are in use. If interrupted, run it again."""
    from clickhouse_connect.driver.exceptions import Error

    from kit.clickhouse import connect_to_alter, translate
    from schema.clickhouse.index_profiles import Profile
    from schema.clickhouse.lanes import existing_lanes
    from schema.clickhouse.switch_profile import switch_profile
    from schema.clickhouse.tables import table_name

    console, wanted, last = errors(), Profile(profile), ""

    def report(progress: "Progress") -> None:
        nonlocal last
        line = _progress_text(progress)
        if line != last:
            console.print(line, markup=False, highlight=False)
        last = line

    settings = running_settings(Settings())
    for place in settings.topology.places:
        name = settings.topology.name(place)
        where = f" of {name}" if name else ""
        server = settings.of_replica(place.replica)
        with connect_to_alter(server, place.shard) as client:
            switched = set[int]()
            # A loader may create a lane while this runs, as a copy of a lane that still has the old profile.
            while remaining := [lane for lane in existing_lanes(client) if lane not in switched]:
                for lane in remaining:
                    try:
                        switch_profile(client, table_name(lane), wanted, SystemClock(), report)
                    except Error as error:
                        raise translate(error) from error
                    output().print(f"{table_name(lane)}{where} has profile {wanted}", highlight=False)
                    switched.add(lane)


def _progress_text(progress: "Progress") -> str:
    text = f"{progress.table}: {progress.partitions_done} of {progress.partitions} partitions are done"
    if progress.parts_left_in_step:
        text += f", {progress.parts_left_in_step} parts of the current partition are left"
    if progress.seconds_left:
        text += f", about {_duration(progress.seconds_left)} left"
    return text + (f"; trying again after: {progress.failure}" if progress.failure else "")


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
