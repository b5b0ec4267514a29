"""Runs a command and reports an error as a sentence and an exit code: 0 done, 1 failed, 2 wrong usage."""

import sys

from pydantic import ValidationError
from pydantic_settings import SettingsError

from kit.errors import LogsieveError
from stack.cli.commands import application
from stack.cli.console import errors


def main() -> None:
    """Runs `logsieve`."""
    try:
        _require_utf8(sys.argv[1:])
        application()(prog_name="logsieve")
    except LogsieveError as error:
        errors().print(f"{error.code}: {error.detail}", style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except ValidationError as error:
        for problem in error.errors():
            setting = f"setting {'.'.join(map(str, problem['loc']))}: " if problem["loc"] else ""
            errors().print(f"{setting}{problem['msg']}", style="red", markup=False, soft_wrap=True)
        sys.exit(2)
    except SettingsError as error:
        errors().print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _require_utf8(arguments: list[str]) -> None:
    """Ends the command if an argument is not UTF-8, because no query, name or key can contain it."""
    for number, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            errors().print(f"argument {number} is not valid UTF-8: {argument!r}", style="red", highlight=False)
            sys.exit(2)
