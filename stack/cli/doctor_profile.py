"""`logsieve doctor --profile`."""

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from kit.clock import SystemClock
from kit.settings import Settings
from stack.cli.console import errors, output
from stack.terminal_text import one_line

if TYPE_CHECKING:
    from kit.profile.read_samples import Selection

ROWS: Final = 20
"""Largest number of places in the table. The SVG file has all places."""


def profile(
    settings: Settings,
    seconds: int,
    folder: Path,
    selection: "Selection",
    *,
    as_json: bool,
) -> None:
    """Records a profile, writes the SVG file, and prints the places with the largest shares."""
    from kit.profile.record import Window
    from stack.doctor.profile import profile_servers, write_flames

    console = errors()
    with console.status("") as spinner:
        window = Window(seconds, SystemClock(), spinner.update)
        found = profile_servers(settings, selection, window)
    file = write_flames(found, folder, window)
    listed = [place for place in found.places if place.real or place.cpu]
    if as_json:
        shown = [{**dataclasses.asdict(place), "waits": place.waits} for place in listed]
        samples = {"real": sum(found.profile.real.values()), "cpu": sum(found.profile.cpu.values())}
        result = {"sources": found.sources, "samples": samples, "notes": found.notes, "svg": str(file), "places": shown}
        output().print_json(json.dumps(result))
        return
    table = Table("Real", "CPU", "", "in function", "waits in", box=None, pad_edge=False)
    for place in listed[:ROWS]:
        mark = Text("waits", style="yellow") if place.waits else Text("")
        names = (Text(one_line(place.frame)), Text(one_line(place.waits_in)))
        table.add_row(Text(f"{place.real:.1%}"), Text(f"{place.cpu:.1%}"), mark, *names)
    output().print(table)
    for note in found.notes:
        console.print(note, highlight=False)
    console.print(f"flame graphs: {file}", highlight=False)
