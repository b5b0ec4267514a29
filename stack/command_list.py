"""docs/commands.md, made from the commands themselves: `python -m stack.command_list`."""

import sys
from collections.abc import Iterator
from typing import Final

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from stack.cli.commands import application

_HEAD: Final = """\
# Commands
`logsieve COMMAND --help` says the same. Exit codes: 0 done, 1 failed, 2 wrong usage. This page is written by
`make docs`; a test holds it to the commands.
"""


def render_commands() -> str:
    """The text of docs/commands.md."""
    root = typer.main.get_command(application())
    return _HEAD + "".join(_section(name, command) for name, command in _commands(root, "logsieve"))


def _commands(command: object, name: str) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for inner, entry in command.commands.items():
            yield from _commands(entry, f"{name} {inner}")
    elif isinstance(command, TyperCommand):
        yield name, command


def _section(name: str, command: TyperCommand) -> str:
    arguments = [p for p in command.params if isinstance(p, TyperArgument)]
    options = [p for p in command.params if isinstance(p, TyperOption)]
    usage = " ".join([name, *(_placeholder(p) for p in arguments)])
    rows = [(_placeholder(p), p.help) for p in arguments]
    rows += [(", ".join([*p.opts, *p.secondary_opts]), p.help) for p in options]
    table = "".join(f"| `{left}` | {_cell(right)} |\n" for left, right in rows)
    return f"\n## `{usage}`\n{command.help}\n" + (f"\n| | |\n| --- | --- |\n{table}" if table else "")


def _placeholder(argument: TyperArgument) -> str:
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_commands())
