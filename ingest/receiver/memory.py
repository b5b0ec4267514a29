"""Memory budget for requests, and the largest part of it that one tenant may hold."""

from kit.errors import RateLimited, RetryableError, Unavailable
from kit.fair_budget import FairBudget


class MemoryBudget(FairBudget):
    """Memory budget for the bytes of all requests of a worker."""

    @staticmethod
    def size_for(held: int) -> int:
        """Returns the smallest budget, in bytes, in which a tenant may hold `held` bytes while other tenants hold
        none."""
        return 2 * held

    def refusal(self, size: int, held: int, left: int) -> RetryableError:  # noqa: ARG002 the signature is the budget's
        if size > left:
            return Unavailable("the receiver's memory for requests is full; send the request again")
        return RateLimited("this tenant's part of the receiver's memory for requests is full; send the request again")
