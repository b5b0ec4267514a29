"""Tests that a command imports no other one, that each is where COMMANDS says, and that help and typing errors know all
of them."""

import subprocess
import sys
from pkgutil import resolve_name

import pytest
from typer.testing import CliRunner

from stack.cli.commands import COMMANDS, GROUPS, application

PLACES = [place for entry in COMMANDS.values() for place in ([entry] if isinstance(entry, str) else entry.values())]


@pytest.mark.parametrize("place", PLACES)
def test_a_command_has_a_function_that_says_what_it_does(place: str) -> None:
    assert resolve_name(place).__doc__


def test_a_command_imports_neither_other_commands_nor_studies() -> None:
    program = (
        "import sys; from typer.main import get_command; from stack.cli.commands import application;"
        " get_command(application()).commands['receiver'];"
        " print(*(name for name in sys.modules if name.split('.')[0] in ('stack', 'loadtest')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    needed = {"stack", "stack.cli", "stack.cli.commands", "stack.cli.console", "stack.cli.entry"}
    needed |= {"stack.cli.lazy_group", "stack.cli.loadtest_group", "stack.cli.query_command", "stack.cli.processes"}
    needed |= {"stack.cli.checked_command", "stack.cli.wrong_value", "stack.proxy_exemption"}
    assert set(done.stdout.split()) - {"stack.terminal_text"} == needed


@pytest.mark.parametrize("group", [None, *GROUPS])
def test_help_lists_every_command(group: str | None) -> None:
    inner = COMMANDS if group is None else COMMANDS[group]
    shown = CliRunner().invoke(application(), [*([group] if group else []), "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    listed = {line.split()[1] for line in shown.output.splitlines() if line.startswith("│")}
    assert listed >= set(inner)


@pytest.mark.parametrize(("typed", "meant"), [(("tenannt",), "tenant"), (("logs", "serch"), "search")])
def test_the_answer_to_a_mistyped_command_names_the_one_that_was_meant(typed: tuple[str, ...], meant: str) -> None:
    shown = CliRunner().invoke(application(), typed)
    assert shown.exit_code == 2
    assert f"Did you mean '{meant}'?" in shown.output
