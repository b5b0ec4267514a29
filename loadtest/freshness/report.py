"""What a freshness measurement found, as JSON."""

from loadtest.freshness.measure import LATE_SECONDS, FreshnessResult
from loadtest.verdict import plain as plain_verdict


def plain(result: FreshnessResult) -> dict[str, object]:
    """Delays in seconds, rates in records a second."""
    return {
        "passed": result.passed,
        "rate": result.rate,
        "maximum_rate": result.maximum_rate,
        "record_bytes": result.record_bytes,
        "acknowledged": result.acknowledged,
        "uncertain": result.uncertain,
        "p50_seconds": result.p50,
        "p99_seconds": result.p99,
        "longest_seconds": result.longest,
        "behind_seconds": result.behind,
        "behind_goal_seconds": LATE_SECONDS,
        "resolution_seconds": result.resolution,
        "missed": result.missed,
        **plain_verdict(result.verdict),
    }
