"""Counts the parts of an export request, and refuses a request with too many."""

from kit.errors import InvalidRequest, TooLarge
from logsieve_native import Message
from schema.envelope import Undecodable
from schema.otlp import parse_message
from schema.request_size import MAX_LOADED_ROW_BYTES, MAX_NESTED_VALUES, MAX_ROW_BYTES

MAX_ATTRIBUTES = 1_000_000
"""Largest number of attributes in one request. 16 MiB of real logs have fewer; 16 MiB of empty attributes have far
more, and would take the loader some 20 s per request."""

MAX_SCOPE_ATTRIBUTES = 1_000_000
"""Largest number of attributes of all scopes in one request. They have no column, but a policy checks each."""

MAX_GROUPS = 200_000
"""Largest number of resources, scopes and entities in one request, including those without records: twice as many as
the records that it may have."""


def survey(value: bytes, max_records: int, received_at: int) -> Message:
    """Returns the request with the counts of its parts, which the loader uses too. U+FFFD replaces bytes that are not
    UTF-8.

    Takes Python's global lock for microseconds, for any size. Raises InvalidRequest if the bytes are not an export
    request, TooLarge if it has too many parts.
    """
    try:
        message = parse_message(value, received_at)
    except Undecodable as error:
        raise InvalidRequest(error.detail) from None
    if message.records > max_records:
        raise TooLarge(
            f"a request may have at most {max_records} log records, but this one has {message.records}; send smaller "
            "requests"
        )
    if message.attributes > MAX_ATTRIBUTES:
        raise TooLarge(
            f"a request may have at most {MAX_ATTRIBUTES} attributes, but this one has {message.attributes}; send "
            "smaller requests"
        )
    if message.scope_attributes > MAX_SCOPE_ATTRIBUTES:
        found = message.scope_attributes
        raise TooLarge(
            f"the scopes of a request may have at most {MAX_SCOPE_ATTRIBUTES} attributes together, but these have"
            f" {found}; send smaller requests"
        )
    if message.groups > MAX_GROUPS:
        raise TooLarge(
            f"a request may have at most {MAX_GROUPS} resources, scopes and entities together, but this one has "
            f"{message.groups}; send smaller requests"
        )
    if message.nested_values > MAX_NESTED_VALUES:
        raise TooLarge(
            f"a request may have at most {MAX_NESTED_VALUES} values inside arrays and maps, but this one has "
            f"{message.nested_values}; send smaller requests"
        )
    if message.row_bytes > MAX_LOADED_ROW_BYTES:
        # ingest.receiver.prepare compares fewer bytes with MAX_ROW_BYTES, when the attribute rules have been applied.
        raise TooLarge(
            "the rows of a request, each with its resource and scope, may have at most "
            f"{MAX_ROW_BYTES:,} bytes; send smaller requests"
        )
    return message
