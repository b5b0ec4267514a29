"""Size of a request as rows, and its bounds, which keep a small request from making a huge insert.

The bounds are constants, not settings: receivers and loaders must agree on them, and a range that is loaded again must
refuse the same messages.
"""

from typing import Final

MAX_ROW_BYTES: Final = 256 * 2**20
"""Bytes of one request's rows, of which each has its resource and scope: some 2.5 KB of them for 100,000 records."""

MAX_NESTED_VALUES: Final = 500_000
"""Values inside arrays and maps in one request. 16 MiB of real ones has fewer; 16 MiB of empty ones has eight million,
which as JSON cost a loader some 7 s."""
