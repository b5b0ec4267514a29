"""Command lines that run Logsieve's own modules in processes of their own."""

import sys


def module_command(module: str, *arguments: str) -> list[str]:
    """Returns the command line that runs a module of this installation with these arguments.

    With `-P`, Python does not import from the working folder, which may have other packages with our names, such as
    `kit`.
    """
    return [sys.executable, "-P", "-m", module, *arguments]
