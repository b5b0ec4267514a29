"""Computes the cost of loading a request's rows, as the number of bytes of body text that cost as much to load.

Limits use this cost if it is larger than the decompressed size of the request. For real logs it is smaller. It is
larger if few bytes make large rows or many parts: small records that share a long resource, attributes that have only a
name, or records of many days.
docs/operations/receiver.md, "Limits", says the same to operators.
"""

from typing import Final

from logsieve_native import Message

ATTRIBUTE_BYTES: Final = 32
"""Cost of an attribute with almost no text, in bytes of body text."""

REPEATED_SHARE: Final = 4
"""Number of repeated bytes of resource and scope that cost as much as one byte of body text. They cost little, because
they compress well and no index is built of them. Bytes by which the texts of values are longer in rows, such as
those of JSON escapes, count as repeated bytes."""

DAY_BYTES: Final = 512 * 2**10
"""Cost of each day on which records fall, beyond the first two. A part on disk, and one of the counts of fields, are
written for each day, which takes about as long as this many bytes of bodies."""

FREE_DAYS: Final = 2
"""Days that cost nothing, because requests at midnight have records of two."""

REPEATED_ATTRIBUTE_BYTES: Final = 16
"""Bytes that each attribute of a resource adds to its repeated bytes, for each row after the first."""


def row_cost(message: Message) -> int:
    """Returns the cost of the message's rows, in bytes."""
    repeated = message.row_bytes - len(message.value)
    repeated += (message.row_attributes - message.attributes) * REPEATED_ATTRIBUTE_BYTES
    days = max(0, len(message.days) - FREE_DAYS)
    return message.attributes * ATTRIBUTE_BYTES + repeated // REPEATED_SHARE + days * DAY_BYTES
