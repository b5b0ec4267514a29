"""The timings as an SVG picture: microseconds a record over the number of rules, both logarithmic."""

import math
from collections.abc import Sequence
from typing import Final
from xml.sax.saxutils import escape

from loadtest.policy.catalog import CHOSEN
from loadtest.policy.measure import RULE_COUNTS, Timing

WIDTH, HEIGHT = 860, 440
LEFT, RIGHT, TOP, BOTTOM = 60, 330, 50, 390
_LABEL_GAP: Final = 17
_COLOUR: Final = "#64748b"
_CHOSEN_COLOUR: Final = "#1d4ed8"


def draw(timings: Sequence[Timing], title: str) -> str:
    """One case of each rule count; lines are labelled at their end."""
    structures = list(dict.fromkeys(timing.structure for timing in timings))
    lowest = 10.0 ** math.floor(math.log10(min(timing.microseconds for timing in timings)))
    highest = 10.0 ** math.ceil(math.log10(max(timing.microseconds for timing in timings)))

    def y_of(microseconds: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * math.log(microseconds / lowest) / math.log(highest / lowest)

    ends = {timing.structure: y_of(timing.microseconds) for timing in timings if timing.case.rules == RULE_COUNTS[-1]}
    label_y = _spread(ends)
    parts = _frame(title, lowest, highest)
    for structure in structures:
        own = [timing for timing in timings if timing.structure == structure]
        label_x, end_y, text_y = WIDTH - RIGHT + 14, ends[structure], label_y[structure]
        points = " ".join(f"{_x_of(timing.case.rules):.1f},{y_of(timing.microseconds):.1f}" for timing in own)
        colour = _CHOSEN_COLOUR if structure == CHOSEN else _COLOUR
        weight = "bold" if structure == CHOSEN else "normal"
        parts += [
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"/>',
            f'<line x1="{WIDTH - RIGHT}" y1="{end_y:.1f}" x2="{label_x}" y2="{text_y:.1f}" stroke="{colour}"/>',
            f'<text x="{label_x + 4}" y="{text_y + 4:.1f}" fill="{colour}" font-weight="{weight}">'
            f"{escape(structure)}</text>",
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x_of(rules: int) -> float:
    first, last = RULE_COUNTS[0], RULE_COUNTS[-1]
    return LEFT + (WIDTH - RIGHT - LEFT) * math.log(rules / first) / math.log(last / first)


def _frame(title: str, lowest: float, highest: float) -> list[str]:
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" fill="#0f172a">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 12}" fill="#334155">rules</text>',
    ]
    decades = round(math.log10(highest / lowest))
    for decade in range(decades + 1):
        y = BOTTOM - (BOTTOM - TOP) * decade / decades
        parts += [
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#e2e8f0"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#334155">{lowest * 10**decade:,.10g}</text>',
        ]
    parts += [
        f'<text x="{_x_of(rules):.1f}" y="{BOTTOM + 20}" text-anchor="middle" fill="#334155">{rules:,}</text>'
        for rules in RULE_COUNTS
    ]
    return parts


def _spread(ends: dict[str, float]) -> dict[str, float]:
    """Heights for labels near their lines' ends that do not overlap."""
    placed: dict[str, float] = {}
    lowest_free = float("inf")
    for structure, y in sorted(ends.items(), key=lambda item: -item[1]):
        lowest_free = min(y, lowest_free)
        placed[structure] = lowest_free
        lowest_free -= _LABEL_GAP
    return placed
