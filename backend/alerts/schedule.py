"""Computes the times at which rules are due. All times are in nanoseconds since the Unix epoch."""


def last_due(rule_id: str, interval_seconds: int, now_ns: int) -> int:
    """Returns the newest time, at or before `now_ns`, at which the rule was due.

    Rules with the same interval are due at different seconds of it. The second follows from the rule's random id.
    Otherwise all rules would be due at each full minute, and wait for each other.
    """
    interval_ns = interval_seconds * 10**9
    offset_ns = int(rule_id, 16) % interval_seconds * 10**9
    return now_ns - (now_ns - offset_ns) % interval_ns


def next_due(rule_id: str, interval_seconds: int, now_ns: int) -> int:
    """Returns the first time after `now_ns` at which the rule is due."""
    return last_due(rule_id, interval_seconds, now_ns) + interval_seconds * 10**9
