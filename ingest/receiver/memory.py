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

    def refusal(self, size: int, held: int, left: int) -> RetryableError:
        """Returns RateLimited for a tenant that would hold more than an equal part of the memory, and Unavailable for
        one that is refused because other tenants hold it."""
        if size > left or held + size <= self._equal_part(held, left):
            return Unavailable("requests of other tenants fill the receiver's memory; send the request again")
        return RateLimited("this tenant's part of the receiver's memory for requests is full; send the request again")

    def _equal_part(self, held: int, left: int) -> float:
        """Returns what each tenant that holds memory, and the one that requests some, may hold if all hold equally."""
        tenants = len(self._held) + (held == 0)
        # As much as a tenant holds stays free (kit.fair_budget).
        return (left + self._held.total()) / (tenants + 1)
