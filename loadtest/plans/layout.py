"""Describes a table layout: how to create a table, fill it and read a page from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OwnWay:
    """Way in which the layout's own product reads a page.

    It reads successive time windows, from the end of the range to its start. `hours` are their lengths; the last one is
    repeated. `settings` are sent with each statement.
    """

    hours: tuple[float, ...]
    settings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table layout. Texts with placeholders are templates of SQL.

    `create` creates {table}. `copy` fills {table} from {source}, a log table of Logsieve. `word` is the condition that
    a body has the word {}. `between` is the condition that a time is from {start} to {end}, in nanoseconds. `order` has
    the columns by which the product orders pages, descending. `key` has columns that begin the primary key and together
    identify a record of the corpus. `own` is the way in which the product reads a page, if it is not one statement.
    """

    name: str
    create: str
    copy: str
    word: str
    order: tuple[str, ...]
    key: tuple[str, ...]
    between: str
    own: OwnWay | None = None
