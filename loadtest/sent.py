"""Ledger of the record numbers that clients of one tenant have sent, by outcome."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Sent:
    """Ranges of record numbers, one range for each request.

    Records of `acknowledged` requests are kept, those of `uncertain` requests may be kept. An uncertain number is never
    sent again.
    """

    acknowledged: list[range] = field(default_factory=list)
    uncertain: list[range] = field(default_factory=list)

    def merged(self, other: "Sent") -> "Sent":
        """Returns a ledger with the numbers of both, for clients of the same tenant."""
        return Sent(self.acknowledged + other.acknowledged, self.uncertain + other.uncertain)


def count(ranges: list[range]) -> int:
    """Returns the total length of all ranges."""
    return sum(len(each) for each in ranges)
