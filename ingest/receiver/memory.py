"""Bytes of requests that are held at once, and how many of them one tenant may hold."""

from kit.errors import RateLimited, RetryableError, Unavailable
from kit.fair_budget import FairBudget


class MemoryBudget(FairBudget):
    """Bytes of requests, so that many large ones at once cost no more than one setting says."""

    @staticmethod
    def size_for(held: int) -> int:
        """Returns the smallest budget, in bytes, that lets a tenant hold `held` bytes while other tenants hold none."""
        return 2 * held

    def refusal(self, size: int, held: int, left: int) -> RetryableError:  # noqa: ARG002 the signature is the budget's
        if size > left:
            return Unavailable("the receiver's memory for requests is full; send the request again")
        return RateLimited("this tenant's part of the receiver's memory for requests is full; send the request again")
