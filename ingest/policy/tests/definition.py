"""Defines attribute rules in plain Python, for tests: compares every rule with every name of an attribute."""

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from schema.attribute_rules import Action, TenantRules


def action_of(rules: TenantRules, attribute: str) -> Action | None:
    """Returns the action for attributes of this name. The most specific matching rule counts; of equally specific ones,
    the last of the tenant's."""
    best: tuple[tuple[bool, int, bool, int], Action] | None = None
    for is_own, some in ((False, rules.installation), (True, rules.own)):
        for order, rule in enumerate(some):
            folded = attribute.casefold()
            fits = folded.startswith(rule.pattern) if rule.is_prefix else folded == rule.pattern
            rank = (not rule.is_prefix, len(rule.pattern), is_own, order)
            if fits and (best is None or rank > best[0]):
                best = (rank, rule.action)
    return None if best is None else best[1]


def apply_rules(request: ExportLogsServiceRequest, rules: TenantRules) -> tuple[int, int]:
    """Changes the request; returns how many attributes and nested entries were dropped and masked."""
    done: list[Action] = []

    def visit(pairs: "RepeatedCompositeFieldContainer[KeyValue]", path: tuple[str, ...]) -> None:
        kept = []
        for pair in pairs:
            names = (*path, pair.key)
            action = next(filter(None, (action_of(rules, ".".join(names[at:])) for at in range(len(names)))), None)
            done.extend([] if action is None else [action])
            if action is None:
                inside(pair.value, names)
            if action is Action.mask:
                pair.CopyFrom(KeyValue(key=pair.key, value=AnyValue(string_value="***")))
            if action is not Action.drop:
                kept.append(pair)
        del pairs[:]
        pairs.extend(kept)

    def inside(value: AnyValue, path: tuple[str, ...]) -> None:
        if value.HasField("kvlist_value"):
            visit(value.kvlist_value.values, path)
        for each in value.array_value.values if value.HasField("array_value") else ():
            inside(each, path)

    for resource_logs in request.resource_logs:
        visit(resource_logs.resource.attributes, ())
        for scope_logs in resource_logs.scope_logs:
            visit(scope_logs.scope.attributes, ())
            for record in scope_logs.log_records:
                visit(record.attributes, ())
                inside(record.body, ())
    return done.count(Action.drop), done.count(Action.mask)
