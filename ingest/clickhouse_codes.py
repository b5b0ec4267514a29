"""ClickHouse's error codes that several packages recognise (src/Common/ErrorCodes.cpp)."""

from typing import Final

NO_SUCH_PART: Final = 232
"""NO_SUCH_DATA_PART: the part or partition was dropped or merged meanwhile."""

ACCESS_DENIED: Final = 497
