"""Max-min fair shares of a number of bytes.

Tenants that need less than an equal part leave the rest to those that need more
(docs/decisions/0048-full-disks-are-shared-fairly.md).
"""

from collections.abc import Mapping


def fair_shares(needs: Mapping[int, int], budget: int, guaranteed: int = 0) -> dict[int, int]:
    """Returns the share of each tenant in bytes: at most its need, and at least the smaller of its need and
    `guaranteed`.

    A share can only grow if an equal or smaller share shrinks. The shares add up to at most `budget`, unless
    the guaranteed bytes alone exceed it.
    """
    level = max(_level(needs, budget), guaranteed)
    return {tenant: min(need, level) for tenant, need in needs.items()}


def _level(needs: Mapping[int, int], budget: int) -> int:
    """Returns the largest number of bytes for each tenant with which all shares fit into the budget together."""
    left, waiting, largest = max(budget, 0), len(needs), 0
    for need in sorted(needs.values()):
        if need * waiting > left:
            return left // waiting
        left -= need
        waiting -= 1
        largest = need
    return largest
