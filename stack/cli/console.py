"""Consoles of the commands: results go to standard output, progress and errors to standard error."""

import json as json_module
import os
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.highlighter import JSONHighlighter
from rich.segment import Segment
from rich.table import Table

from stack.terminal_text import json_text, visible

_PIPE_COLUMNS: Final = 10_000


class SafeConsole(Console):
    """Console that writes control characters as escapes, so that no text acts on the terminal.

    Square brackets and colons are printed unchanged, because names and labels of users contain them.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Returns the segments to print, with control characters written as escapes.

        Segments that move the cursor stay as they are, because rich made them. Long cells of a table are wrapped, not
        cut: half an id is of no use.
        """
        if isinstance(renderable, Table):
            for column in renderable.columns:
                column.overflow = "fold"
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def print_json(self, json: str | None = None, **options: Any) -> None:
        """Prints indented JSON. Hidden characters of strings become JSON escapes, so that the values stay exact."""
        data = options.get("data") if json is None else json_module.loads(json)
        self.print(JSONHighlighter()(json_text(data, indent=2)), soft_wrap=True)


def output() -> Console:
    """Returns the console of results. In a pipe or a file, each row of a table is one line, unless COLUMNS is set."""
    console = SafeConsole()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_COLUMNS
    return console


def errors(*, quiet: bool = False) -> Console:
    return SafeConsole(stderr=True, soft_wrap=True, quiet=quiet)
