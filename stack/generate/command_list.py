"""Writes docs/commands.md from the commands themselves: `python -m stack.generate.command_list`."""

import sys
from collections.abc import Iterator
from enum import Enum
from typing import Final, Literal, get_args, get_origin

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from stack.cli.commands import application

_HEAD: Final = """\
# Commands
`logsieve COMMAND --help` shows the same texts. Exit codes: 0 done, 1 failed, 2 wrong usage.

`make docs` writes this page from the commands in `stack/cli`; a test compares them. Code: see the
[code map](architecture.md#where-to-look).
"""


def render_commands() -> str:
    """Returns the text of docs/commands.md."""
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
    rows = [(_placeholder(p), _help(p)) for p in arguments]
    rows += [(", ".join([*p.opts, *p.secondary_opts]), _help(p)) for p in options]
    table = "".join(f"| `{left}` | {_cell(right)} |\n" for left, right in rows)
    return f"\n## `{usage}`\n{command.help}\n" + (f"\n| | |\n| --- | --- |\n{table}" if table else "")


def _placeholder(argument: TyperArgument) -> str:
    name = argument.metavar or str(argument.name).upper()
    return name if argument.required or name.startswith("[") else f"[{name}]"


def _help(parameter: TyperArgument | TyperOption) -> str:
    """Returns the help text with the parameter's values, environment variable and default, as `--help` shows them."""
    choices = ", ".join(f"`{choice}`" for choice in _choices(parameter.type_descriptor.annotation))
    taken = f" One of {choices}." if choices else ""
    default = parameter.default
    shown = str(default) if isinstance(default, str | int | float) and not isinstance(default, bool) else ""
    variable = f" Environment variable: `{parameter.envvar}`." if parameter.envvar else ""
    return (parameter.help or "") + taken + variable + (f" Default: `{shown}`." if shown else "")


def _choices(annotation: object) -> list[str]:
    """Returns the values of a Literal or an enumeration, also where they are one side of a union."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [str(member.value) for member in annotation]
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _choices(part)]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render_commands())
