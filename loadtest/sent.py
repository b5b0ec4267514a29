"""Ledger of sent records: one tenant's record numbers, by what became of them."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Sent:
    """Numbers as ranges, because a request holds consecutive ones. No number is sent again after it was uncertain."""

    acknowledged: list[range] = field(default_factory=list)
    uncertain: list[range] = field(default_factory=list)

    def merged(self, other: "Sent") -> "Sent":
        """Returns both ledgers as one, for clients of the same tenant."""
        return Sent(self.acknowledged + other.acknowledged, self.uncertain + other.uncertain)


def count(ranges: list[range]) -> int:
    """Counts the numbers in all ranges."""
    return sum(len(each) for each in ranges)
