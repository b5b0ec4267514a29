"""How many bytes of requests are held at once, and how few of them one tenant can have."""

from kit.errors import RateLimited, RetryableError, Unavailable
from kit.fair_budget import FairBudget


class MemoryBudget(FairBudget):
    """Bytes of requests, so that many large ones at once cost no more than one setting says."""

    @staticmethod
    def size_for(held: int) -> int:
        """The smallest budget of which a tenant may hold so much, when nobody else holds any."""
        return 2 * held

    def refusal(self, size: int, held: int, left: int) -> RetryableError:  # noqa: ARG002 the signature is the budget's
        if size > left:
            return Unavailable("the receiver holds as many requests as it can")
        return RateLimited("the receiver holds as many requests of this tenant as it can")
