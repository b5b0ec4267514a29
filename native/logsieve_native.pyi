"""OTLP log exports as rows of ClickHouse: what schema/log_rows.py gives the rest of the code, and nothing else does."""

from collections.abc import Sequence
from typing import Any, final

@final
class Message:
    """An export request that is known to be well-formed, and what its rows will be.

    Raises ValueError with a reason where the bytes are no export request as protobuf reads them. Records without any
    time have that of their arrival, `received_at`; all times are nanoseconds since the Unix epoch.
    """

    def __new__(cls, value: bytes, received_at: int) -> Message: ...
    @property
    def records(self) -> int: ...
    @property
    def attributes(self) -> int:
        """Attributes of resources and records; those of scopes are not kept."""

    @property
    def nested_values(self) -> int:
        """Values inside arrays and maps of what is kept."""

    @property
    def row_bytes(self) -> int:
        """About how many bytes its rows have: each has its resource and scope."""

    @property
    def times(self) -> tuple[int, int] | None:
        """Earliest and latest time of a record; None without records."""

    @property
    def days(self) -> list[int]:
        """UTC days since the Unix epoch that records fall on, in order."""

@final
class Rows:
    """Rows of many messages. Not for use by several threads at once."""

    def __new__(cls) -> Rows: ...
    def __len__(self) -> int: ...
    def append(self, message: Message, tenant_id: int, cohort: str, body_max_bytes: int, first_record_id: int) -> None:
        """Appends all records of the message in their order."""

    def native(self, columns: Sequence[tuple[str, str]]) -> bytes:
        """One block in ClickHouse's Native format, of columns with these names and types.

        Raises KeyError for a name that no column has.
        """

    def column(self, name: str) -> list[Any]:
        """One value for each row. Raises KeyError for a name that no column has."""
