"""Payloads of notices for webhooks, Slack and receivers of Alertmanager's webhooks."""

import json
import math
from hashlib import sha256
from typing import Any

from backend.alerts.channels import ChannelKind
from backend.alerts.notices import Notice, NoticeKind
from backend.times import format_time

_COLORS = {NoticeKind.firing: "#c62828", NoticeKind.resolved: "#2e7d32", NoticeKind.test: "#1565c0"}


def payload(kind: ChannelKind, notice_id: str, notice: Notice) -> dict[str, Any]:
    """Returns the JSON body of a notice. `notice_id` is the same in each attempt."""
    if kind is ChannelKind.slack:
        return {
            "text": _escaped(notice.text),
            "attachments": [{"color": _COLORS[notice.kind], "footer": f"Logsieve notice {notice_id}"}],
        }
    return _alertmanager(notice_id, notice) if kind is ChannelKind.alertmanager else _generic(notice_id, notice)


def _generic(notice_id: str, notice: Notice) -> dict[str, Any]:
    return {
        "id": notice_id,
        "kind": str(notice.kind),
        "rule": {"id": notice.rule_id, "name": notice.rule},
        "severity": notice.severity,
        "labels": notice.labels,
        "group": list(notice.group),
        "column": notice.column,
        "comparison": notice.comparison,
        "threshold": notice.threshold,
        # JSON has no infinite numbers and no NaN, which a sum of very large numbers may be.
        "value": notice.value if notice.value is None or math.isfinite(notice.value) else None,
        "since": format_time(notice.since_ns),
        "at": format_time(notice.at_ns),
        "text": notice.text,
    }


def _alertmanager(notice_id: str, notice: Notice) -> dict[str, Any]:
    """Returns a body of version 4 of the format.

    Source: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
    """
    status = "resolved" if notice.kind is NoticeKind.resolved else "firing"
    groups = {f"group_{number}": value or "" for number, value in enumerate(notice.group)}
    labels = {**notice.labels, **groups, "alertname": notice.rule, "severity": notice.severity}
    # The key is the same in all notices of a group, so that a receiver knows which alert is resolved. The key of a test
    # notice is an object, because any further text in the array may also be the value of a group.
    is_test = notice.kind is NoticeKind.test
    group = json.dumps({"test": notice.rule_id} if is_test else [notice.rule_id, *notice.group])
    annotations = {"summary": notice.text, "notice_id": notice_id}
    ends_at = format_time(notice.at_ns) if status == "resolved" else "0001-01-01T00:00:00Z"
    return {
        "version": "4",
        "groupKey": f"{{}}:{group}",
        "truncatedAlerts": 0,
        "status": status,
        "receiver": "logsieve",
        "groupLabels": {**groups, "alertname": notice.rule},
        "commonLabels": labels,
        "commonAnnotations": annotations,
        "externalURL": "",
        "alerts": [
            {
                "status": status,
                "labels": labels,
                "annotations": annotations,
                "startsAt": format_time(notice.since_ns),
                "endsAt": ends_at,
                "generatorURL": "",
                "fingerprint": sha256(group.encode()).hexdigest()[:16],
            }
        ],
    }


def _escaped(text: str) -> str:
    """Returns the text with the characters escaped that Slack interprets, so that a logged value cannot make a link or
    a mention."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
