"""Translates the values of `severity:` to severity numbers."""

from backend.language.nodes import Comparator, Compare, Equals, Range, comparisons
from schema.severity import UNSPECIFIED, Severity

ALIASES: dict[str, str] = {"warning": Severity.warn.name, "critical": Severity.fatal.name}
NAMES: tuple[str, ...] = tuple(severity.name for severity in Severity)
HIGHEST = 255
"""Largest severity_number that a column can hold. OpenTelemetry defines 1 to 24."""


def normalized_severity(text: str) -> str | None:
    """Returns the range's name, or the number as decimal text. Returns None if the text names no severity."""
    name = text.lower()
    name = ALIASES.get(name, name)
    if name in NAMES or name == UNSPECIFIED:
        return name
    return str(int(text)) if text.isascii() and text.isdigit() and len(text) <= 2 and int(text) <= 24 else None


def severity_numbers(node: Equals | Compare | Range) -> tuple[int, int]:
    """Returns the first and last severity_number that the node matches; first > last if it matches none.

    Comparisons never match 0, because a record without severity is neither below nor above any severity.
    """
    if isinstance(node, Equals):
        return _range_of(node.value)
    first, last = 1, HIGHEST
    for comparison in comparisons(node) if isinstance(node, Range) else (node,):
        low, high = _range_of(comparison.operand)
        match comparison.comparator:
            case Comparator.at_least:
                first = max(first, low)
            case Comparator.greater:
                first = max(first, high + 1)
            case Comparator.at_most:
                last = min(last, high)
            case Comparator.less:
                last = min(last, low - 1)
    return first, max(last, 0)


def _range_of(operand: str) -> tuple[int, int]:
    if operand.isdigit():
        return int(operand), int(operand)
    if operand == UNSPECIFIED:
        return 0, 0
    severity = Severity[operand]
    return severity.first, severity.last
