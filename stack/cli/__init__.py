"""The `logsieve` command."""

from stack.cli.entry import main

__all__ = ["main"]
