"""Draws two flame graphs side by side, Real and CPU, as one SVG file without scripts.

The renderer is ours, because the kept libraries draw one graph per file (inferno), need a browser (d3-flame-graph), or
are wrappers of a Perl script.
"""

import zlib
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from kit.profile.flames import Rectangle, rectangles
from kit.profile.stacks import Kind, Profile, Stacks
from kit.profile.wait_frames import Wait, wait_in

_PANEL: Final = 680
"""Width of one flame graph, in pixels."""
_GAP: Final = 20
_ROW: Final = 16
_TOP: Final = 76
_LETTER: Final = 6.2
"""Width of a letter, in pixels."""
_SMALLEST: Final = 0.4
"""Narrowest rectangle that is drawn, in pixels."""
_COLOURS: Final = {Wait.lock: "#dc2626", Wait.pause: "#94a3b8"}
_RUNNING: Final = ("#fcd34d", "#fbbf24", "#fde68a", "#f9c74f", "#fde047")
_LEGEND: Final = (("#dc2626", "waits for a lock"), ("#94a3b8", "waits for something else"), ("#fbbf24", "other frames"))


def flame_svg(profile: Profile, title: str, explanation: str = "") -> str:
    """Returns the text of the SVG file. The name and samples of a frame are its tooltip."""
    graphs = {Kind.real: profile.real, Kind.cpu: profile.cpu}
    depth = max((len(stack) for stacks in graphs.values() for stack in stacks), default=1)
    width, height = 2 * _PANEL + 3 * _GAP, _TOP + depth * _ROW + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' font-family="ui-monospace, monospace" font-size="10">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_GAP}" y="20" font-size="15" fill="#0f172a">{escape(title)}</text>',
        f'<text x="{_GAP}" y="37" fill="#475569">{escape(explanation)}</text>',
        *_legend(width),
    ]
    for number, (kind, stacks) in enumerate(graphs.items()):
        left = _GAP + number * (_PANEL + _GAP)
        total = sum(stacks.values())
        parts.append(f'<text x="{left}" y="60" font-size="13" fill="#0f172a">{kind}: {total:,} samples</text>')
        parts.extend(_graph(stacks, left, _TOP + depth * _ROW))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(width: int) -> Iterator[str]:
    x = width - 470
    for colour, text in _LEGEND:
        yield f'<rect x="{x}" y="11" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{x + 14}" y="20" fill="#475569">{text}</text>'
        x += 30 + round(len(text) * _LETTER)


def _graph(stacks: Stacks, left: float, bottom: float) -> Iterator[str]:
    total = sum(stacks.values())
    for each in rectangles(stacks):
        width = each.samples / total * _PANEL
        if width >= _SMALLEST:
            x, y = left + each.left / total * _PANEL, bottom - (each.depth + 1) * _ROW
            yield _drawn(each, x, y, width, total)


def _drawn(each: Rectangle, x: float, y: float, width: float, total: int) -> str:
    wait = wait_in(each.name)
    colour = _COLOURS[wait] if wait else _RUNNING[zlib.crc32(each.name.encode()) % len(_RUNNING)]
    text = _fitting(each.name, width)
    label = f'<text x="{x + 2:.1f}" y="{y + 11:.1f}"{_INK[wait]}>{escape(text)}</text>' if text else ""
    told = f"{each.name}: {each.samples:,} samples, {each.samples / total:.1%}"
    return (
        f"<g data-frame={quoteattr(each.name)}><title>{escape(told)}</title>"
        f'<rect x="{x:.2f}" y="{y:.1f}" width="{width:.2f}" height="{_ROW - 1}" fill="{colour}"/>{label}</g>'
    )


_INK: Final = {None: "", Wait.pause: "", Wait.lock: ' fill="white"'}


def _fitting(name: str, width: float) -> str:
    """Returns as much of the name as fits into the width, or an empty text if less than three letters fit."""
    letters = int((width - 4) / _LETTER)
    if letters < 3:
        return ""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"
