"""Where commands print: results to standard output, progress and errors to standard error."""

from rich.console import Console


def output() -> Console:
    return Console()


def errors() -> Console:
    return Console(stderr=True, soft_wrap=True)
