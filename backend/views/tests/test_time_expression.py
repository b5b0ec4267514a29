"""Tests the times of views, which the web UI writes and commands resolve."""

import pytest

from backend.views.time_expression import LONGEST_SECONDS, resolve_time
from kit.errors import InvalidRequest

NOW = 1_790_000_000_000_000_000
HOUR = 3600 * 10**9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("now-1h", NOW - HOUR),
        ("now-1h30m", NOW - HOUR * 3 // 2),
        ("now-2w", NOW - 14 * 24 * HOUR),
        (f"now-{LONGEST_SECONDS}s", NOW - LONGEST_SECONDS * 10**9),
        ("2026-01-31T12:00:00.5Z", 1_769_860_800_500_000_000),
        ("2026-01-31T14:00:00+02:00", 1_769_860_800_000_000_000),
    ],
)
def test_a_time_is_resolved(text: str, expected: int) -> None:
    assert resolve_time(text, NOW, "start") == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "now-", "now-0s", "now-1", "now-1y", "now+1h", "NOW", "now-\u0661h", "now-1h\n", "now-" + "1s" * 40),
        *(f"now-{LONGEST_SECONDS + 1}s", "1790000000000000000", "1999-01-01T00:00:00Z", "2026-01-31"),
    ],
)
def test_other_text_is_refused_with_its_member(text: str) -> None:
    with pytest.raises(InvalidRequest, match="start"):
        resolve_time(text, NOW, "start")
