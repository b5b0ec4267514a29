"""Native code for OTLP log exports: checks and changes requests, and converts them to rows of ClickHouse.

Times are nanoseconds since the Unix epoch.
"""

from collections.abc import Iterator, Sequence
from typing import Any, final

@final
class AttributeRules:
    """Rules about attribute names. May be used by several threads at once.

    A rule is a tuple of three: the case-folded pattern; True if the pattern is a prefix, False if it is a whole name;
    True if the rule drops attributes, False if it masks them. If two rules have the same pattern, and both are prefixes
    or both are names, the last one counts.
    """

    def __new__(cls, rules: Sequence[tuple[str, bool, bool]], max_lookups: int) -> AttributeRules: ...
    def apply(self, message: Message) -> tuple[Message, int, int]:
        """Returns the message after the rules, and the numbers of attributes and nested entries that were dropped and
        that were masked. If no rule matches, returns the same message object.

        Raises TooManyParts if more than `max_lookups` names would be looked up. Releases Python's global lock while it
        works.
        """

    def drops(self, name: str) -> bool | None:
        """Returns True if attributes of this name are dropped, False if they are masked, None if no rule matches."""

@final
class AdmissionControl:
    """Decides which records of a request are kept, by their time, their severity, the length of their texts and their
    attribute names. May be used by several threads at once.

    The arguments are limits: distinct attribute names of a record, of a request, of a tenant on one UTC day and of all
    tenants on one UTC day; and UTF-8 bytes of a text that ClickHouse keeps in a dictionary. If all tenants together
    have more than `day_names_in_all` names, the names of all tenants are forgotten.
    """

    def __new__(
        cls, record_names: int, request_names: int, day_names: int, day_names_in_all: int, text_bytes: int
    ) -> AdmissionControl: ...
    def admit(
        self, message: Message, tenant_id: int, oldest: int, newest: int, redactor: Redactor | None
    ) -> tuple[bytes | None, int, list[tuple[int, int]], int]:
        """Returns four values: the request with only the kept records and with redacted bodies, or None if nothing
        changed; the number of kept records; for each schema.refusals.RecordReason, the number of refused records and of
        their protobuf bytes; and the number of redacted matches.

        Keeps records with times from `oldest` to `newest`, inclusive. Raises TimeoutError if redacting takes more than
        5 s, ValueError if it makes a text more than four times as long, both with the reason.
        """

@final
class Message:
    """A well-formed export request, with counts of its parts and of its rows.

    Each byte sequence in a text that is not UTF-8 is replaced by U+FFFD. Records without any time get the time of their
    arrival, `received_at`. Raises ValueError, with the reason, if the bytes are not a protobuf export request.
    """

    def __new__(cls, value: bytes, received_at: int) -> Message: ...
    @property
    def records(self) -> int:
        """Number of log records."""

    @property
    def attributes(self) -> int:
        """Number of attributes of resources and records, without those of scopes, which are not stored."""

    @property
    def value(self) -> bytes:
        """The request in protobuf, after the replacements by U+FFFD."""

    @property
    def replaced(self) -> int:
        """Number of byte sequences that were not UTF-8."""

    @property
    def scope_attributes(self) -> int:
        """Number of attributes of scopes."""

    @property
    def groups(self) -> int:
        """Number of resources, scopes and entities, including those without records."""

    @property
    def nested_values(self) -> int:
        """Number of values inside arrays and maps that are stored."""

    @property
    def row_bytes(self) -> int:
        """Approximate bytes of all rows. Each row repeats its resource and scope, and has values as texts."""

    @property
    def row_attributes(self) -> int:
        """Number of attributes of all rows. Each row repeats the attributes of its resource."""

    @property
    def times(self) -> tuple[int, int] | None:
        """Earliest and latest time of the records as rows have it, in nanoseconds since the Unix epoch; None without
        records."""

    @property
    def days(self) -> list[int]:
        """UTC days on which records fall, in days since the Unix epoch, in ascending order."""

@final
class Redactor:
    """Replaces matches of regular expressions in texts and, with `cards`, payment card numbers. May be used by several
    threads at once.

    Raises ValueError, with the reason, if an expression is invalid, is too large or matches the empty text.
    """

    def __new__(cls, expressions: Sequence[str], cards: bool) -> Redactor: ...
    def redact(self, text: str) -> tuple[str, int]:
        """Returns the text with `***` in place of each match, and the number of matches. Raises ValueError if the text
        would become more than four times as long."""

@final
class Rows:
    """Rows of many messages. Not for use by several threads at once."""

    def __new__(cls) -> Rows: ...
    def __len__(self) -> int: ...
    def append(self, message: Message, tenant_id: int, cohort: str, body_max_bytes: int, first_record_id: int) -> None:
        """Appends all records of the message in their order."""

    def native(self, columns: Sequence[tuple[str, str]]) -> Iterator[bytes]:
        """Removes all rows, and yields them as one block in ClickHouse's Native format, in chunks of about 256 KiB. The
        block has the columns of these names and types.

        Raises KeyError for a name and type that no column has.
        """

    def field_counts(self, columns: Sequence[tuple[str, str]], bucket_seconds: int) -> bytes:
        """Returns the numbers of rows that have each field and each value, as one block of a fields table in
        ClickHouse's Native format. The block has the columns of these names and types. Returns no bytes if no row has a
        field.

        Call it before `native`, which removes the rows. Rows within the same `bucket_seconds` are counted together.
        Raises KeyError for a name and type that no column has.
        """

    def column(self, name: str) -> list[Any]:
        """Returns the column's values, one for each row. Raises KeyError for a name that no column has."""

@final
class Templates:
    """Templates of the patterns that `group_patterns` found, in the order of their indexes."""

    def __len__(self) -> int: ...
    def template(self, index: int) -> list[str]:
        """Returns the tokens of a template. A token `<*>` stands for any token, and `<*>` within a token for digits.
        Raises IndexError for an index that no template has."""

class TooManyParts(ValueError):
    """A request has more parts than allowed. For JSON, the text of the error can be shown to the sender."""

def json_to_protobuf(body: bytes) -> tuple[bytes, int]:
    """Converts an export request from OTLP's JSON to protobuf. Returns it with the number of replacements by U+FFFD: of
    byte sequences that are not UTF-8, and of halves of surrogate pairs.

    Raises ValueError, with a reason for the sender, if the body is not JSON, not an export request, or nested too
    deeply. Raises TooManyParts if it has too many parts. Releases Python's global lock while it converts.
    """

def group_patterns(texts: Sequence[str]) -> tuple[Templates, list[int]]:
    """Groups texts into patterns by the Drain algorithm.

    Returns the templates and, for each text, the index of its template. Releases Python's global lock while it
    groups.
    """
