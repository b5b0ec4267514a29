"""Applies a policy to a decoded request, in place."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ingest.policy.policy import Policy
from kit.errors import TooLarge
from schema.attribute_rules import NAME_CHARACTERS, Action

MASK: Final = "***"
"""Text stored in place of a masked value of any type."""

MAX_LOOKUPS: Final = 4_000_000
"""Names looked up in one request, so that one of millions of empty attributes costs some 2 s at most: more than
16 MiB of real logs need."""

KeyValues: TypeAlias = "RepeatedCompositeFieldContainer[KeyValue]"


@dataclass(frozen=True, slots=True)
class Applied:
    """Counts of attributes and entries of nested maps that were taken out, and of values that were masked."""

    dropped: int
    masked: int

    @property
    def changed(self) -> bool:
        return self.dropped + self.masked > 0


def apply_policy(request: ExportLogsServiceRequest, policy: Policy) -> Applied:
    """Drops and masks log, resource and scope attributes, and what is nested in them or in structured bodies.

    Records stay, also without attributes. Raises TooLarge for more names than a request may have.
    """
    walk = _Walk(policy)
    for resource_logs in request.resource_logs:
        walk.attributes(resource_logs.resource.attributes)
        for scope_logs in resource_logs.scope_logs:
            walk.attributes(scope_logs.scope.attributes)
            for record in scope_logs.log_records:
                walk.attributes(record.attributes)
                walk.value(record.body, ())
    return Applied(walk.dropped, walk.masked)


class _Walk:
    """Goes through one request; every occurrence of a name is looked at, also where it comes twice."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._left = MAX_LOOKUPS
        self.dropped = 0
        self.masked = 0

    def attributes(self, pairs: KeyValues) -> None:
        """Applies the policy to a list of attributes, and to values nested in the attributes that stay."""
        self._spend(len(pairs))
        policy, matches = self._policy, []
        for position, pair in enumerate(pairs):
            action = policy[pair.key]
            if action is not None:
                matches.append((position, action))
                continue
            value = pair.value
            # Asked first because most values are text: with names looked up by hash, this is most of what is left.
            if not value.HasField("string_value") and (value.HasField("kvlist_value") or value.HasField("array_value")):
                self.value(value, (pair.key,))
        if matches:
            self._change(pairs, matches)

    def value(self, value: AnyValue, path: tuple[str, ...]) -> None:
        """Applies the policy to the entries of maps in a value, at any depth. `path` names the maps around the value.

        The recursion is as deep as the message, which protobuf's parser bounds at 100 messages within each other.
        """
        if value.HasField("kvlist_value"):
            self._map(value.kvlist_value.values, path)
        elif value.HasField("array_value"):
            elements = value.array_value.values
            self._spend(len(elements))
            for element in elements:
                self.value(element, path)

    def _map(self, pairs: KeyValues, path: tuple[str, ...]) -> None:
        self._spend(len(pairs) * (len(path) + 1))
        matches = []
        for position, pair in enumerate(pairs):
            names = (*path, pair.key[: NAME_CHARACTERS + 1])
            action = self._nested_action(names)
            if action is None:
                self.value(pair.value, names)
            else:
                matches.append((position, action))
        if matches:
            self._change(pairs, matches)

    def _nested_action(self, names: tuple[str, ...]) -> Action | None:
        """Decides about a nested entry, which has several names: its key, the key of the map around it and its own
        joined by a dot, and so on up to the attribute's. The longest that a rule is about decides.
        """
        for first in range(len(names)):
            action = self._policy[".".join(names[first:])]
            if action is not None:
                return action
        return None

    def _change(self, pairs: KeyValues, matches: Sequence[tuple[int, Action]]) -> None:
        dropped = {position for position, action in matches if action is Action.drop}
        for position, action in matches:
            if action is Action.mask:
                # As a whole, so that nothing this version cannot read stays behind in it.
                pairs[position].CopyFrom(KeyValue(key=pairs[position].key, value=AnyValue(string_value=MASK)))
        if dropped:
            kept = [pair for position, pair in enumerate(pairs) if position not in dropped]
            # They stay alive when taken out of the list; removing one by one would be quadratic.
            del pairs[:]
            pairs.extend(kept)
        self.dropped += len(dropped)
        self.masked += len(matches) - len(dropped)

    def _spend(self, lookups: int) -> None:
        self._left -= lookups
        if self._left < 0:
            raise TooLarge(
                f"a request to which attribute rules apply may have {MAX_LOOKUPS} attributes and nested names in all"
                " and this one has more; send smaller requests"
            )
