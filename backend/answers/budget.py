"""Bounds the bytes of answers that clients have not read yet, for each tenant and for all tenants together."""

from typing import Final

from kit.errors import QueryTooExpensive, RateLimited, RetryableError
from kit.fair_budget import FairBudget

RETRY_SECONDS: Final = 5.0


class AnswerBudget(FairBudget):
    """Counts the bytes of answers that clients have not read yet.

    An answer may take at most half of the budget, so that a client that reads slowly leaves the other half to other
    tenants. A page of control characters, each of which JSON writes as six bytes, could otherwise take nearly all.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._largest = size // 2

    def check(self, size: int) -> None:
        if size > self._largest:
            raise QueryTooExpensive(
                f"the answer has {size:,} bytes or more, but may have at most {self._largest:,} (half of "
                "LOGSIEVE_QUERY_MAX_UNREAD_BYTES): request fewer records at once"
            )

    def refusal(self, size: int, held: int, left: int) -> RetryableError:  # noqa: ARG002 the text says what is held
        return RateLimited(
            f"clients of this tenant have not read {held:,} bytes of their answers yet, and {left:,} bytes are left "
            "for all tenants: read or close these answers, then try again, or request fewer records at once",
            RETRY_SECONDS,
        )
