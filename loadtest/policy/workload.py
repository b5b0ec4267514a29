"""Rules and records for the measurement: names of OpenTelemetry's semantic conventions and of applications."""

import random
from collections.abc import Sequence
from typing import Final

from schema.attribute_rules import Action, Rule

FEWEST, MOST = 10, 30
"""Attributes a record."""

_CONVENTIONS: Final = [
    "client.address",
    "client.port",
    "server.address",
    "server.port",
    "network.peer.address",
    "network.peer.port",
    "network.protocol.name",
    "network.protocol.version",
    "network.transport",
    "network.type",
    "url.full",
    "url.path",
    "url.query",
    "url.scheme",
    "url.template",
    "user_agent.original",
    "user_agent.name",
    "http.request.method",
    "http.request.method_original",
    "http.request.body.size",
    "http.request.size",
    "http.request.resend_count",
    "http.response.status_code",
    "http.response.body.size",
    "http.response.size",
    "http.route",
    "error.type",
    "error.message",
    "exception.type",
    "exception.message",
    "exception.stacktrace",
    "exception.escaped",
    "code.function.name",
    "code.file.path",
    "code.line.number",
    "code.stacktrace",
    "thread.id",
    "thread.name",
    "log.file.name",
    "log.file.path",
    "log.iostream",
    "log.record.uid",
    "log.record.original",
    "db.system.name",
    "db.namespace",
    "db.collection.name",
    "db.operation.name",
    "db.query.text",
    "db.query.summary",
    "db.query.parameter.id",
    "db.response.status_code",
    "db.response.returned_rows",
    "db.client.connection.pool.name",
    "db.client.connection.state",
    "messaging.system",
    "messaging.destination.name",
    "messaging.destination.partition.id",
    "messaging.operation.name",
    "messaging.operation.type",
    "messaging.message.id",
    "messaging.message.body.size",
    "messaging.kafka.offset",
    "messaging.consumer.group.name",
    "rpc.system.name",
    "rpc.method",
    "rpc.response.status_code",
    "enduser.id",
    "user.id",
    "user.name",
    "user.email",
    "user.roles",
    "session.id",
    "session.previous_id",
    "feature_flag.key",
    "feature_flag.result.variant",
    "feature_flag.provider.name",
    "aws.request_id",
    "aws.lambda.invoked_arn",
    "aws.s3.bucket",
    "aws.s3.key",
    "cloud.provider",
    "cloud.region",
    "cloud.availability_zone",
    "cloud.account.id",
    "faas.name",
    "faas.trigger",
    "faas.invocation_id",
    "faas.coldstart",
    "container.id",
    "container.name",
    "container.image.name",
    "k8s.cluster.name",
    "k8s.namespace.name",
    "k8s.pod.name",
    "k8s.pod.uid",
    "k8s.node.name",
    "k8s.container.name",
    "k8s.container.restart_count",
    "k8s.deployment.name",
    "k8s.replicaset.name",
    "host.name",
    "host.id",
    "host.arch",
    "os.type",
    "os.version",
    "process.pid",
    "process.executable.name",
    "process.command",
    "process.runtime.name",
    "process.runtime.version",
    "service.name",
    "service.version",
    "service.namespace",
    "service.instance.id",
    "deployment.environment.name",
    "telemetry.sdk.name",
    "telemetry.sdk.language",
    "telemetry.sdk.version",
    "geo.country.iso_code",
    "geo.locality.name",
    "peer.service",
    "event.name",
    "trace.flags",
    "otel.status_code",
    "tls.protocol.version",
    "tls.cipher",
    "dns.question.name",
    "gen_ai.request.model",
    "gen_ai.usage.input_tokens",
    "graphql.operation.name",
    "graphql.operation.type",
]
_HEADERS: Final = [
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "content-length",
    "content-type",
    "host",
    "origin",
    "referer",
    "user-agent",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-request-id",
    "traceparent",
    "etag",
    "vary",
    "location",
]
_AREAS: Final = [
    "order",
    "payment",
    "basket",
    "shipping",
    "catalog",
    "search",
    "account",
    "invoice",
    "stock",
    "coupon",
    "job",
    "batch",
    "report",
]
_FACTS: Final = ["id", "count", "total", "state", "step", "duration_ms", "attempt", "source", "target", "reason"]

KEPT_NAMES: Final = (
    *_CONVENTIONS,
    *(f"http.{side}.header.{header}" for side in ("request", "response") for header in _HEADERS),
    *(f"app.{area}.{fact}" for area in _AREAS for fact in _FACTS),
)
"""Names no rule of the measurement is about, as many as the services of one tenant use."""

_SECRETS: Final = [
    "authorization",
    "cookie",
    "token",
    "secret",
    "password",
    "api-key",
    "session",
    "credential",
    "signature",
    "private",
]
_PLACES: Final = [
    "http.request.header.",
    "http.response.header.",
    "app.internal.",
    "db.query.parameter.",
    "rpc.request.metadata.",
    "",
]


def make_rules(count: int, rng: random.Random) -> list[Rule]:
    """Half of them names, half prefixes, that begin as kept names do."""
    rules: dict[tuple[str, bool], Rule] = {}
    while len(rules) < count:
        is_prefix = len(rules) % 2 == 1
        secret = f"x-{rng.choice(_SECRETS)}" if rng.random() < 0.5 else rng.choice(_SECRETS)
        number = f"-{rng.randrange(count)}" if count > 20 else ""
        pattern = f"{rng.choice(_PLACES)}{secret}{number}{'-' if is_prefix else ''}"
        rules[pattern, is_prefix] = Rule(pattern, is_prefix, rng.choice(tuple(Action)))
    return list(rules.values())


def make_records(
    rules: Sequence[Rule], miss_share: float, repeat: bool, count: int, rng: random.Random
) -> list[list[str]]:
    """The names of each record's attributes, of which `miss_share` meet no rule.

    With `repeat` names come again as in real logs, otherwise no record has a name of another.
    """
    return [
        [_name(rules, miss_share, "" if repeat else f".{record}", rng) for _ in range(rng.randint(FEWEST, MOST))]
        for record in range(count)
    ]


def _name(rules: Sequence[Rule], miss_share: float, suffix: str, rng: random.Random) -> str:
    if rng.random() < miss_share:
        return rng.choice(KEPT_NAMES) + suffix
    rule = rng.choice(rules)
    return rule.pattern + (rng.choice(_FACTS) + suffix if rule.is_prefix else "")
