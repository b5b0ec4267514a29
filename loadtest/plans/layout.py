"""Table layouts that are asked by hand: how to make, fill and ask them."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OwnWay:
    """Way in which the layout's own product reads a page: windows back from the end, and settings it sends along.

    `hours` are the lengths of the windows, the last one repeated until the range ends.
    """

    hours: tuple[float, ...]
    settings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """A table layout. `create` is a statement with {table}, `copy` one with {table} and {source}, a Logsieve log table.

    `order` is the order of the product's pages, newest first. `key` names columns that identify a record of the corpus
    and begin the primary key. `between` is a condition with {start} and {end} in nanoseconds.
    """

    name: str
    create: str
    copy: str
    word: str
    order: tuple[str, ...]
    key: tuple[str, ...]
    between: str
    own: OwnWay | None = None
