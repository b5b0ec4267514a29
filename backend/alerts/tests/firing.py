"""A notice for tests of what is sent."""

from typing import Final

from backend.alerts.content import Comparison, Severity
from backend.alerts.notices import Notice, NoticeKind

FIRING: Final = Notice(
    kind=NoticeKind.firing,
    rule_id="000000000001",
    rule="Errors",
    severity=Severity.critical,
    labels={},
    group=(),
    column="count()",
    comparison=Comparison.above,
    threshold=5.0,
    value=6.0,
    since_ns=0,
    at_ns=1,
)
