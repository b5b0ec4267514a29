"""Type of the ids that the database counts up with every row."""

from typing import Final

from sqlalchemy import BigInteger, Integer

COUNTER: Final = BigInteger().with_variant(Integer, "sqlite")
"""64 bits, because tenants can make billions of rows. SQLite counts up only columns of the type INTEGER, which has 64
bits there."""
