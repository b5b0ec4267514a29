"""What was sent and what came of it: one tenant's record numbers."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Sent:
    """Numbers as ranges, because a request holds consecutive ones. No number is sent again after it was uncertain."""

    acknowledged: list[range] = field(default_factory=list)
    uncertain: list[range] = field(default_factory=list)

    def merged(self, other: "Sent") -> "Sent":
        """Both together, for clients of the same tenant."""
        return Sent(self.acknowledged + other.acknowledged, self.uncertain + other.uncertain)


def count(ranges: list[range]) -> int:
    """How many numbers there are in all."""
    return sum(len(each) for each in ranges)
