"""JSON models of alert rules. Times are RFC 3339 with nine digits of fraction."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from backend.alerts.channels import Channel, ChannelKind
from backend.alerts.content import Comparison, Condition, RuleContent, Severity
from backend.alerts.history import PastEvent
from backend.alerts.outbox import PastNotice
from backend.alerts.repository import Rule
from backend.alerts.transitions import GroupState
from backend.strict_body import StrictBody, Texts
from backend.times import format_optional_time, format_time

_Seconds = Annotated[int, Field(ge=0, le=10**9)]


class AlertCondition(StrictBody):
    column: str = Field(description="Function of the query, as its answer names it, such as `count()`.")
    comparison: Comparison = Field(
        description="Comparison of the column with `threshold`. `no_data` is true if the column has no number or is 0."
    )
    threshold: float | None = Field(None, description="Number that the column is compared with; null for `no_data`.")


class AlertChannel(StrictBody):
    """A destination of notices. Its URL and headers are secret: answers contain only parts of the URL."""

    kind: ChannelKind = Field(
        description="`webhook`: Logsieve's JSON; `slack`: Slack's incoming webhook; `alertmanager`: the JSON of "
        "Alertmanager's webhooks, version 4; `email`: an e-mail."
    )
    url: str = Field("", description="URL to which the notice is sent by POST. Empty for `email`.")
    headers: Texts = Field(default_factory=dict, description="Additional headers of the request, at most 10.")
    recipients: list[str] = Field(
        default_factory=list,
        description="Addresses that receive the notice, at most 10. Empty for all kinds but `email`.",
        fail_fast=True,
    )

    def channel(self) -> Channel:
        return Channel(self.kind, self.url, tuple(self.headers.items()), tuple(self.recipients))


class AlertMembers(StrictBody):
    """All members of an alert rule that users choose, except its channels."""

    name: str = Field(description="1 to 100 characters. No two alert rules of a tenant have the same name.")
    query: str = Field(description="Query with `| stats`, without `time(…)` and with at most 100 groups.")
    range_seconds: _Seconds = Field(300, description="Length of the range that each evaluation reads, 1 to 604,800.")
    interval_seconds: _Seconds = Field(60, description="Seconds between two evaluations, 60 to 86,400.")
    condition: AlertCondition
    for_seconds: _Seconds = Field(
        0, description="Seconds that the condition must hold before a group fires, up to 604,800."
    )
    severity: Severity = Severity.warning
    labels: Texts = Field(
        default_factory=dict, description="Labels of the rule's notices: names and values, at most 20."
    )

    def content(self, channels: list[AlertChannel]) -> RuleContent:
        condition = Condition(self.condition.column, self.condition.comparison, self.condition.threshold)
        return RuleContent(
            name=self.name,
            query=self.query,
            range_seconds=self.range_seconds,
            interval_seconds=self.interval_seconds,
            condition=condition,
            for_seconds=self.for_seconds,
            severity=self.severity,
            labels=self.labels,
            channels=tuple(channel.channel() for channel in channels),
        )


class NewAlert(AlertMembers):
    channels: list[AlertChannel] = Field(
        default_factory=list, description="Destinations of notices, at most 5.", fail_fast=True
    )


class AlertChange(AlertMembers):
    """A rule that replaces the stored rule. Members that are left out get their default values."""

    channels: list[AlertChannel] | None = Field(
        None,
        description="Channels that replace the stored channels. If null or left out, the rule keeps them.",
        fail_fast=True,
    )
    revision: int = Field(
        description="Revision that is replaced. If the rule has another revision, the request is refused."
    )


class AlertMute(StrictBody):
    until: str | int | None = Field(
        description="Time until which the rule sends no notices of groups that begin to fire, in RFC 3339 or integer "
        "nanoseconds; null ends a mute."
    )


class ShownChannel(BaseModel):
    kind: ChannelKind
    destination: str = Field(
        description="Scheme, host and last four characters of the URL, or the recipients. A URL with a path of fewer "
        "than 20 characters is shown without the last four."
    )


class Alert(AlertMembers):
    """A stored alert rule and its state."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    id: str = Field(description="12 hexadecimal digits.")
    channels: list[ShownChannel]
    state: Literal["ok", "pending", "firing", "no_data", "error"] = Field(
        description="State at the last evaluation. `ok` if the rule was not evaluated since it was created or changed: "
        "`evaluated_at` is then null."
    )
    detail: str = Field(description="Reason of state `error`; empty in other states.")
    evaluated_at: str | None = Field(
        description="Time of the last evaluation; null if the rule was not evaluated since it was created or changed."
    )
    muted_until: str | None
    revision: int = Field(description="Number that grows with each change of the rule.")
    created_at: str
    created_by: str = Field(description="`key <id>` of the key by which the rule was created.")
    changed_at: str
    changed_by: str


class Alerts(BaseModel):
    alerts: list[Alert] = Field(description="All alert rules of the tenant, by name.")


class AlertGroupStatus(BaseModel):
    """A group of the rule's query that is pending or firing."""

    group: list[str | None] = Field(description="Value of each field; null for records without the field.")
    state: Literal["pending", "firing"]
    since: str
    value: float | None


class AlertStatus(BaseModel):
    alert: Alert
    groups: list[AlertGroupStatus] = Field(description="Groups that are pending or firing.")


class AlertEventBody(BaseModel):
    """A change of state of a group or of the rule itself, or the number of notices that were left out."""

    at: str
    group: list[str | None] | None = Field(
        description="Values of the group's fields. Null for a change of the rule itself to or from no_data or error, "
        "and for notices that a limit left out; `detail` then says how many and why."
    )
    before: str
    after: str
    value: float | None
    detail: str


class AlertNoticeBody(BaseModel):
    """A notice of the last 7 days."""

    id: str = Field(
        description="Id of the notice. Each attempt sends it in the payload and in the header X-Logsieve-Notice."
    )
    kind: Literal["firing", "resolved", "test"]
    created_at: str
    state: Literal["waiting", "sent", "failed"]
    attempts: int
    detail: str = Field(description="Reason of the last failed attempt; empty after the notice was sent.")


class AlertHistory(BaseModel):
    events: list[AlertEventBody] = Field(description="The 200 newest changes of state, newest first.")
    notices: list[AlertNoticeBody] = Field(description="The 200 newest notices, newest first.")


class AlertTest(BaseModel):
    notices: list[str] = Field(description="Ids of the test notices. The history says whether they were sent.")


def alert_body(rule: Rule) -> Alert:
    content = rule.content
    condition = content.condition
    return Alert(
        name=content.name,
        query=content.query,
        range_seconds=content.range_seconds,
        interval_seconds=content.interval_seconds,
        condition=AlertCondition(
            column=condition.column, comparison=condition.comparison, threshold=condition.threshold
        ),
        for_seconds=content.for_seconds,
        severity=content.severity,
        labels=content.labels,
        id=rule.id,
        channels=[ShownChannel(kind=each.kind, destination=each.shown) for each in content.channels],
        state=rule.state.value,
        detail=rule.detail,
        evaluated_at=format_optional_time(rule.evaluated_at_ns),
        muted_until=format_optional_time(rule.muted_until_ns),
        revision=rule.revision,
        created_at=format_time(rule.created_at_ns),
        created_by=rule.created_by,
        changed_at=format_time(rule.changed_at_ns),
        changed_by=rule.changed_by,
    )


def status_body(rule: Rule, groups: list[GroupState]) -> AlertStatus:
    return AlertStatus(
        alert=alert_body(rule),
        groups=[
            AlertGroupStatus.model_validate(
                {
                    "group": list(each.group),
                    "state": str(each.state),
                    "since": format_time(each.since_ns),
                    "value": each.value,
                }
            )
            for each in groups
        ],
    )


def history_body(events: list[PastEvent], notices: list[PastNotice]) -> AlertHistory:
    return AlertHistory(
        events=[
            AlertEventBody(
                at=format_time(past.at_ns),
                group=None if past.event.group is None else list(past.event.group),
                before=str(past.event.before),
                after=str(past.event.after),
                value=past.event.value,
                detail=past.event.detail,
            )
            for past in events
        ],
        notices=[
            AlertNoticeBody.model_validate(
                {
                    "id": each.id,
                    "kind": each.kind,
                    "created_at": format_time(each.created_at_ns),
                    "state": each.state,
                    "attempts": each.attempts,
                    "detail": each.detail,
                }
            )
            for each in notices
        ],
    )
