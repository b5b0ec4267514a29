"""Limits on the rows of one request, so that a small request cannot become a huge insert.

The limits are constants, not settings: loaders must accept what receivers accept, and a range that is loaded again must
refuse the same messages.
"""

from typing import Final

MAX_ROW_BYTES: Final = 256 * 2**20
"""Largest size of one request's rows, in bytes. Each row repeats its resource and scope. In a request of 100,000
records, these may have about 2.5 KB each. Values count with the bytes of their texts in a row, which can be longer: a
control character inside a map has six bytes there, a double 24, and an empty value four (null)."""

MAX_LOADED_ROW_BYTES: Final = 3 * MAX_ROW_BYTES
"""Largest size of one message's rows that loaders accept, in bytes. Receivers of releases before this constant counted
numbers, booleans and nulls as in protobuf. The rows of a message that they accepted may count three times as much now:
an empty value in an array had two bytes, and has six. Loaders refuse none of these messages, because loaders of those
releases may have stored them already."""

MAX_NESTED_VALUES: Final = 500_000
"""Largest number of values inside arrays and maps in one request. 16 MiB of real logs have fewer. 16 MiB of empty
values have eight million, and converting these to JSON would take a loader about 7 s."""
