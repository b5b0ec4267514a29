"""Counts the parts of an export request, and refuses a request of too many."""

from kit.errors import InvalidRequest, TooLarge
from logsieve_native import Message
from schema.envelope import Fault, Undecodable
from schema.otlp import read_message

MAX_ATTRIBUTES = 1_000_000
"""Attributes in one request: more than 16 MiB of real logs have, far fewer than of empty ones, which cost the loader
some 20 s a request."""

MAX_SCOPE_ATTRIBUTES = 1_000_000
"""Attributes of all scopes in one request. They make no column, but a policy looks at each."""

MAX_GROUPS = 200_000
"""Resources, scopes and entities in one request, those without records among them: twice as many as it may have
records."""


def survey(value: bytes, max_records: int, received_at: int) -> Message:
    """Returns the request with counts of its parts, as the loader counts them. Takes Python's global lock for
    microseconds, for any size. In the message, U+FFFD stands for each byte sequence that is not UTF-8.

    Raises InvalidRequest when the bytes are not an export request, TooLarge when it has too many parts.
    """
    try:
        message = read_message(value, received_at)
    except Undecodable as error:
        if error.fault is Fault.too_large:
            raise TooLarge(error.detail) from None
        raise InvalidRequest(error.detail) from None
    if message.records > max_records:
        raise TooLarge(
            f"a request may have {max_records} log records and this one has {message.records}; send smaller requests"
        )
    if message.attributes > MAX_ATTRIBUTES:
        raise TooLarge(
            f"a request may have {MAX_ATTRIBUTES} attributes and this one has {message.attributes}; send smaller "
            "requests"
        )
    if message.scope_attributes > MAX_SCOPE_ATTRIBUTES:
        found = message.scope_attributes
        raise TooLarge(
            f"the scopes of a request may have {MAX_SCOPE_ATTRIBUTES} attributes in all and these have {found};"
            " send smaller requests"
        )
    if message.groups > MAX_GROUPS:
        raise TooLarge(
            f"a request may have {MAX_GROUPS} resources and scopes in all and this one has {message.groups};"
            " send smaller requests"
        )
    return message
