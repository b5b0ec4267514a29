"""Costs of a request's rows, in bytes of bodies that cost as much to load.

A request of real logs has more bytes than that, and counts by its bytes. A request counts by its rows where a few bytes
of it make many: small records that share a long resource, or attributes of nothing but a name.
docs/operations.md, "Limits", says the same to operators.
"""

from typing import Final

from logsieve_native import Message

ATTRIBUTE_BYTES: Final = 32
"""Bytes of a body that cost as much as an attribute of nearly no text."""

REPEATED_SHARE: Final = 4
"""Bytes that rows repeat of their resource and scope that cost as much as a byte of a body: they are compressed away,
and no index is made of them."""

REPEATED_ATTRIBUTE_BYTES: Final = 16
"""Bytes that an attribute of a resource counts as, besides its own, for each further row."""


def row_cost(message: Message) -> int:
    """Returns the cost of the message's rows, in bytes."""
    repeated = message.row_bytes - len(message.value)
    repeated += (message.row_attributes - message.attributes) * REPEATED_ATTRIBUTE_BYTES
    return message.attributes * ATTRIBUTE_BYTES + repeated // REPEATED_SHARE
