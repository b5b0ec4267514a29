"""Groups of commands that are imported when they are looked up.

Importing all commands takes longer than many of them run, and a command starts each of Logsieve's processes.
"""

from collections import UserDict
from collections.abc import Callable, Mapping, MutableMapping
from functools import cache
from typing import Any

from typer.core import TyperGroup


class LazyCommands(UserDict[str, Any]):
    """Commands by name. A command is made when it is looked up for the first time."""

    def __init__(self, makers: Mapping[str, Callable[[], Any]]) -> None:
        super().__init__({name: cache(make) for name, make in makers.items()})

    def __getitem__(self, name: str) -> Any:
        return self.data[name]()


class LazyGroup(TyperGroup):
    """A group with the commands of `table`, which is called when a command is looked up for the first time."""

    _table: MutableMapping[str, Any] | None = None

    def table(self) -> MutableMapping[str, Any]:
        """Returns the commands by name."""
        raise NotImplementedError

    @property
    def commands(self) -> MutableMapping[str, Any]:
        """Commands by name."""
        if self._table is None:
            self._table = self.table()
        return self._table

    @commands.setter
    def commands(self, given: MutableMapping[str, Any]) -> None:
        """Ignores its argument: Typer passes the commands that were registered before, and there are none."""
