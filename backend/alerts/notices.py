"""Decides which notices an evaluation causes. Pure functions."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

from backend.alerts.content import RuleContent
from backend.alerts.repository import Rule
from backend.alerts.transitions import Evaluated, Group, GroupState, State


class NoticeKind(StrEnum):
    firing = "firing"
    resolved = "resolved"
    test = "test"


@dataclass(frozen=True, slots=True)
class Notice:
    """The content of a notice. It contains no secret, and no query, because words of a query may be personal data.

    `since_ns` is the time at which the group began to fire, `at_ns` the time of the evaluation. `group` has the name
    and the value of each field after `by` in the query.
    """

    kind: NoticeKind
    rule_id: str
    rule: str
    severity: str
    labels: dict[str, str]
    group: Group
    column: str
    comparison: str
    threshold: float | None
    value: float | None
    since_ns: int
    at_ns: int

    @property
    def text(self) -> str:
        """The notice as a line of text for people."""
        name = self.rule + "".join(f", {'(none)' if value is None else value}" for value in self.group)
        wanted = "no data" if self.threshold is None else f"{self.comparison} {number_text(self.threshold)}"
        value = "no number" if self.value is None else number_text(self.value)
        return one_line(
            f"[{self.kind.upper()}] [{self.severity}] {name}: {self.column} is {value} (condition: {wanted})"
        )


def number_text(number: float) -> str:
    """Returns the number with all digits if it is whole, so that 1,000,001 is not shown as the threshold 1e+06."""
    return f"{number:.15g}" if number % 1 == 0 else f"{number:g}"


def one_line(text: str) -> str:
    """Returns the text with spaces instead of line ends and control characters, so that a value from a record cannot
    add lines to a notice."""
    return "".join(character if character.isprintable() else " " for character in text)


def notices_of(
    rule: Rule,
    before: Iterable[GroupState],
    evaluated: Evaluated,
    at_ns: int,
    *,
    is_muted: bool,
) -> list[Notice]:
    """Returns the notices of an evaluation.

    A muted rule causes no notices of firing groups. A firing group whose notice was not written, because of a mute or
    a limit, gets its notice at a later evaluation. A notice that a group is resolved is written only if a notice of its
    firing was written.
    """
    tells = [each for each in evaluated.groups if each.state is State.firing and not each.is_notified and not is_muted]
    notices = [notice_of(rule, NoticeKind.firing, each, each.value, at_ns) for each in tells]
    values = {event.group: event.value for event in evaluated.events if event.after is State.ok}
    resolved = [each for each in before if each.is_notified and each.group in values]
    return notices + [notice_of(rule, NoticeKind.resolved, each, values[each.group], at_ns) for each in resolved]


def notice_of(rule: Rule, kind: NoticeKind, group: GroupState, value: float | None, at_ns: int) -> Notice:
    """Returns a notice about a group."""
    content: RuleContent = rule.content
    return Notice(
        kind,
        rule.id,
        content.name,
        str(content.severity),
        content.labels,
        group.group,
        content.condition.column,
        str(content.condition.comparison),
        content.condition.threshold,
        value,
        group.since_ns,
        at_ns,
    )


def notice_to_json(notice: Notice) -> str:
    """Returns the stored form of a notice."""
    return json.dumps(asdict(notice), separators=(",", ":"))


def without_texts(notice: Notice) -> Notice:
    """Returns the notice without the texts that users choose and that come from records, which may have some KB."""
    return replace(notice, rule="", labels={}, group=(), column="")


def notice_from_json(text: str) -> Notice:
    members = json.loads(text)
    return Notice(**members | {"kind": NoticeKind(members["kind"]), "group": tuple(members["group"])})
