"""OTLP log exports as rows of ClickHouse: what schema/log_rows.py gives the rest of the code, and nothing else does."""

from collections.abc import Iterator, Sequence
from typing import Any, final

@final
class AttributeRules:
    """Rules about attribute names: each has a folded pattern, True for a prefix and False for a name, and True for
    dropping and False for masking. Of two rules about the same pattern the last one counts. May be used by several
    threads at once.
    """

    def __new__(cls, rules: Sequence[tuple[str, bool, bool]], max_lookups: int) -> AttributeRules: ...
    def apply(self, message: Message) -> tuple[Message, int, int]:
        """The message after the rules, which is the same object where no attribute met one; how many attributes and
        nested entries were dropped, and how many were masked.

        Raises TooManyParts where more than `max_lookups` names would have to be looked up. Does not hold Python's
        global lock meanwhile.
        """

    def drops(self, name: str) -> bool | None:
        """True where attributes of this name are dropped, False where they are masked, None where no rule is about
        them."""

@final
class Door:
    """Which records can be kept, by their time, their severity and the attribute names they bring.

    Remembers each tenant's names of the UTC day: `day_names` of a tenant, `day_names_in_all` of all of them, who are
    forgotten where there would be more. May be used by several threads at once.
    """

    def __new__(
        cls, record_names: int, request_names: int, day_names: int, day_names_in_all: int, text_bytes: int
    ) -> Door: ...
    def admit(
        self, message: Message, tenant_id: int, oldest: int, newest: int, redactor: Redactor | None
    ) -> tuple[bytes | None, int, list[tuple[int, int]], int]:
        """The request without records that cannot be kept and with redacted bodies, None where nothing changed; how
        many records are kept; for each of schema.refusals.RecordReason how many are refused, with their bytes; and how
        many matches were redacted. Raises ValueError, with the reason, if redacting takes more than 5 s or makes a text
        more than four times as long.
        """

@final
class Message:
    """An export request that is known to be well-formed, and what its rows will be.

    Texts that are not UTF-8 have U+FFFD in place of each sequence of other bytes. Raises ValueError with a reason
    where the bytes are no export request as protobuf reads them. Records without any time have that of their arrival,
    `received_at`; all times are nanoseconds since the Unix epoch.
    """

    def __new__(cls, value: bytes, received_at: int) -> Message: ...
    @property
    def records(self) -> int: ...
    @property
    def attributes(self) -> int:
        """Attributes of resources and records; those of scopes are not kept."""

    @property
    def value(self) -> bytes:
        """The request, with texts replaced."""

    @property
    def replaced(self) -> int:
        """Byte sequences that were not UTF-8."""

    @property
    def scope_attributes(self) -> int: ...
    @property
    def groups(self) -> int:
        """Resources, scopes and entities, those without records among them."""

    @property
    def nested_values(self) -> int:
        """Values inside arrays and maps of what is kept."""

    @property
    def row_bytes(self) -> int:
        """Approximate bytes of its rows, each of which has its resource and scope, with the texts of its values."""

    @property
    def row_attributes(self) -> int:
        """Attributes of all rows: each has those of its resource."""

    @property
    def times(self) -> tuple[int, int] | None:
        """Earliest and latest time of a record; None without records."""

    @property
    def days(self) -> list[int]:
        """UTC days since the Unix epoch that records fall on, in order."""

@final
class Redactor:
    """Regular expressions, and payment card numbers where `cards` says so. May be used by several threads at once.

    Raises ValueError with the reason where an expression is none, is too large or matches the empty text.
    """

    def __new__(cls, expressions: Sequence[str], cards: bool) -> Redactor: ...
    def redact(self, text: str) -> tuple[str, int]:
        """The text with `***` for each match, and how many there were."""

@final
class Rows:
    """Rows of many messages. Not for use by several threads at once."""

    def __new__(cls) -> Rows: ...
    def __len__(self) -> int: ...
    def append(self, message: Message, tenant_id: int, cohort: str, body_max_bytes: int, first_record_id: int) -> None:
        """Appends all records of the message in their order."""

    def native(self, columns: Sequence[tuple[str, str]]) -> Iterator[bytes]:
        """One block in ClickHouse's Native format, of columns with these names and types, in chunks of about 256 KiB.

        The rows go with it: none are left here. Raises KeyError for a name that no column has.
        """

    def field_counts(self, columns: Sequence[tuple[str, str]], bucket_seconds: int) -> bytes:
        """How often each field and value occurs in the rows, as one block in ClickHouse's Native format, of columns
        with these names and types; no bytes where no row has a field. Call it before `native`.

        Raises KeyError for a name that no column has.
        """

    def column(self, name: str) -> list[Any]:
        """One value for each row. Raises KeyError for a name that no column has."""

@final
class Templates:
    """Templates of the patterns that `group_patterns` found, in the order of their indexes."""

    def __len__(self) -> int: ...
    def template(self, index: int) -> list[str]:
        """Returns the tokens of a template. A token `<*>` stands for any token, and `<*>` within a token for digits.
        Raises IndexError for an index that no template has."""

class TooManyParts(ValueError):
    """A request of more parts than one may have; for JSON the message is for its sender."""

def json_to_protobuf(body: bytes) -> tuple[bytes, int]:
    """The export request in protobuf that a body in OTLP's JSON stands for, and how many byte sequences that are not
    UTF-8 and halves of surrogate pairs were replaced by U+FFFD in it.

    Raises ValueError with a reason for its sender where the body is not JSON, not an export request, or nested too
    deeply; TooManyParts. Does not hold Python's global lock meanwhile.
    """

def group_patterns(texts: Sequence[str]) -> tuple[Templates, list[int]]:
    """Groups texts into patterns by the Drain algorithm.

    Returns the templates and, for each text, the index of its template. Does not hold Python's global lock while it
    groups.
    """
