"""Bounds the bytes of answers that clients have not read yet, for each tenant and for all tenants together."""

from typing import Final

from kit.errors import RateLimited, RetryableError
from kit.fair_budget import FairBudget

RETRY_SECONDS: Final = 5.0


class AnswerBudget(FairBudget):
    """Counts the bytes of answers that clients have not read yet.

    A tenant's first unread answer may take all bytes that are left.
    """

    def __init__(self, size: int) -> None:
        super().__init__(size, first_takes_all=True)

    def refusal(self, size: int, held: int, left: int) -> RetryableError:  # noqa: ARG002 the text says what is held
        return RateLimited(
            f"clients of this tenant have not read {held:,} bytes of their answers yet, and {left:,} bytes are left "
            "for all tenants: read or close these answers, then try again, or request fewer records at once",
            RETRY_SECONDS,
        )
