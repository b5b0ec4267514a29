"""Runs a command and reports an error as a sentence and an exit code: 0 done, 1 failed, 2 wrong usage.

With LOGSIEVE_LOG_LEVEL=debug in the environment, an error of the operating system is a traceback, and commands print
the log lines of libraries.
"""

import logging
import os
import sys
from typing import Final, NoReturn

from pydantic import ValidationError
from pydantic_settings import SettingsError

from kit.errors import LogsieveError, Unavailable
from kit.settings import Settings
from stack.cli.commands import application
from stack.cli.console import errors
from stack.cli.wrong_value import wrong_setting
from stack.proxy_exemption import exempt_from_proxy

_NO_OUTPUT: Final = logging.NullHandler()


def main() -> None:
    """Runs `logsieve`."""
    if not _is_debugging():
        # Without any handler, Python prints warnings of libraries on standard error: for example hundreds of lines by
        # librdkafka, before the sentence that Kafka is unreachable. Processes add the handler of their log.
        logging.getLogger().addHandler(_NO_OUTPUT)
    exempt_from_proxy()
    try:
        _require_utf8(sys.argv[1:])
        application()(prog_name="logsieve")
    except LogsieveError as error:
        _fail(error)
    except ValidationError as error:
        if error.title != Settings.__name__:
            raise
        for problem in error.errors():
            errors().print(wrong_setting(problem), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except SettingsError as error:
        errors().print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except OSError as error:
        # Without a number, the error is not the operating system's: for example TimeoutError of asyncio.
        if error.errno is None or _is_debugging():
            raise
        _fail(Unavailable(_refusal(error)))
    except KeyboardInterrupt:
        sys.exit(130)


def _is_debugging() -> bool:
    return os.environ.get("LOGSIEVE_LOG_LEVEL") == "debug"


def _fail(error: LogsieveError) -> NoReturn:
    errors().print(f"{error.code}: {error.detail}", style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(1)


def _refusal(error: OSError) -> str:
    reason = error.strerror or str(error)
    what = reason if error.filename is None else f"cannot use {error.filename}: {reason}"
    return f"{what}; with LOGSIEVE_LOG_LEVEL=debug, the command shows where the error occurred"


def _require_utf8(arguments: list[str]) -> None:
    """Ends the command if an argument is not UTF-8, because no query, name or key can contain it."""
    for number, argument in enumerate(arguments, start=1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            errors().print(f"argument {number} is not valid UTF-8: {argument!r}", style="red", highlight=False)
            sys.exit(2)
