"""Decides the states of a rule's groups from their values at one evaluation. Pure functions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from backend.alerts.content import Comparison, Condition

Group = tuple[str | None, ...]
"""Values of the fields after `by` in the query; None for a field that the group's records do not have."""


class State(StrEnum):
    """State of a rule, or of a group. Groups are `ok`, `pending` or `firing`."""

    ok = "ok"
    pending = "pending"
    firing = "firing"
    no_data = "no_data"
    error = "error"


@dataclass(frozen=True, slots=True)
class GroupState:
    """A group that is pending or firing since `since_ns`. `is_notified` is true if a notice of this firing was written
    for at least one channel."""

    group: Group
    state: State
    since_ns: int
    value: float | None
    is_notified: bool = False


@dataclass(frozen=True, slots=True)
class Observed:
    """Value of the condition's column for one group; None if the column has no number."""

    group: Group
    value: float | None


@dataclass(frozen=True, slots=True)
class Event:
    """A change of state of a group. If `group` is None, a change of state of the rule itself to or from `error` or
    `no_data`, or the number of notices that a limit left out, in `detail`."""

    group: Group | None
    before: State
    after: State
    value: float | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Result of an evaluation: the state of the rule, the groups that are not `ok`, and the changes of groups."""

    state: State
    groups: tuple[GroupState, ...]
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """Result of an evaluation at `at_ns`. `evaluated` is None if the evaluation failed; `detail` is then the reason."""

    at_ns: int
    evaluated: Evaluated | None
    detail: str = ""

    @property
    def state(self) -> State:
        return State.error if self.evaluated is None else self.evaluated.state


def holds(condition: Condition, value: float | None) -> bool:
    """Returns whether a value satisfies the condition. Without a number, no comparison except `no_data` is true."""
    if condition.comparison is Comparison.no_data:
        return not value
    if value is None or condition.threshold is None:
        return False
    threshold = condition.threshold
    return {
        Comparison.above: value > threshold,
        Comparison.at_least: value >= threshold,
        Comparison.below: value < threshold,
        Comparison.at_most: value <= threshold,
        Comparison.equal: value == threshold,
    }[condition.comparison]


def evaluate(
    condition: Condition, for_seconds: int, before: Iterable[GroupState], observed: Iterable[Observed], at_ns: int
) -> Evaluated:
    """Returns the states after an evaluation at `at_ns`. A group that is not in `observed` is `ok`."""
    known, values = {each.group: each for each in before}, {each.group: each for each in observed}
    groups, events = [], []
    for group, each in values.items():
        if holds(condition, each.value):
            state, event = _active(known.get(group), each, for_seconds, at_ns)
            groups.append(state)
            events += [event] if event else []
    active = {each.group for each in groups}
    events += [
        Event(each.group, each.state, State.ok, _value(values, each.group))
        for each in known.values()
        if each.group not in active
    ]
    return Evaluated(_rule_state(groups, values), tuple(groups), tuple(events))


def _active(
    before: GroupState | None, observed: Observed, for_seconds: int, at_ns: int
) -> tuple[GroupState, Event | None]:
    # `before.since_ns` is in the future if a worker's clock was ahead. Without `min`, the group would stay pending
    # until that time.
    since_ns = at_ns if before is None else min(before.since_ns, at_ns)
    if before is not None and before.state is State.firing:
        return GroupState(observed.group, State.firing, since_ns, observed.value, before.is_notified), None
    fires = at_ns - since_ns >= for_seconds * 10**9
    state = GroupState(
        observed.group, State.firing if fires else State.pending, at_ns if fires else since_ns, observed.value
    )
    former = State.ok if before is None else before.state
    return state, None if former is state.state else Event(observed.group, former, state.state, observed.value)


def _value(values: Mapping[Group, Observed], group: Group) -> float | None:
    return values[group].value if group in values else None


def events_of(before: State, result: Result) -> tuple[Event, ...]:
    """Returns the changes of groups, after the change of the rule itself to or from `error` or `no_data`. `before` is
    the state of the rule before the evaluation."""
    events = () if result.evaluated is None else result.evaluated.events
    changed = {before, result.state}
    if len(changed) == 2 and changed & {State.error, State.no_data}:
        return Event(None, before, result.state, None, result.detail), *events
    return events


_WORST: Final = (State.firing, State.pending)


def _rule_state(groups: Iterable[GroupState], values: Mapping[Group, Observed]) -> State:
    states = {each.state for each in groups}
    for state in _WORST:
        if state in states:
            return state
    return State.no_data if values and all(each.value is None for each in values.values()) else State.ok
