"""Bounds the memory of results while they are read from ClickHouse, for each tenant and for all tenants together."""

from typing import Final

from backend.store.limits import ShareTooSmall
from kit.fair_budget import FairBudget
from kit.settings import Settings

RESULTS: Final = 4
"""Results of the largest size that a process may read at the same time. One tenant may read half of them."""


class ResultBudget(FairBudget):
    """Counts the bytes of results as ClickHouse sends them, until their rows are made. The limit on each result alone
    would let several tenants together use up the memory of the process."""

    @classmethod
    def of(cls, settings: Settings) -> "ResultBudget":
        """Returns the budget of one process."""
        return cls(RESULTS * settings.query_max_result_bytes)

    def refusal(self, size: int, held: int, left: int) -> ShareTooSmall:  # noqa: ARG002 the text says what is held
        """Returns the error for a statement whose result does not fit into the budget."""
        return ShareTooSmall(
            f"{held:,} bytes of results are being read for this tenant, and {left:,} bytes are left for all tenants: "
            "send fewer concurrent searches, or request fewer records at once"
        )
