"""Makes rules and attribute names for the study, from OpenTelemetry's semantic conventions and typical applications."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from schema.attribute_rules import Action, Rule

MIN_ATTRIBUTES, MAX_ATTRIBUTES = 10, 30
"""Smallest and largest number of attributes of a record."""

_CONVENTIONS: Final = Path(__file__).with_name("conventions.txt").read_text().split()
"""Names of OpenTelemetry's semantic conventions."""
_HEADERS: Final = (
    *("accept", "accept-encoding", "accept-language", "cache-control", "content-length", "content-type", "host"),
    *("origin", "referer", "user-agent", "x-forwarded-for", "x-forwarded-proto", "x-request-id", "traceparent"),
    *("etag", "vary", "location"),
)
_AREAS: Final = (
    *("order", "payment", "basket", "shipping", "catalog", "search", "account", "invoice", "stock", "coupon", "job"),
    *("batch", "report"),
)
_FACTS: Final = (*("id", "count", "total", "state", "step", "duration_ms", "attempt", "source", "target", "reason"),)

KEPT_NAMES: Final = (
    *_CONVENTIONS,
    *(f"http.{side}.header.{header}" for side in ("request", "response") for header in _HEADERS),
    *(f"app.{area}.{fact}" for area in _AREAS for fact in _FACTS),
)
"""Names that no rule of the study matches. They are about as many as the services of one tenant use."""

_SECRETS: Final = (
    *("authorization", "cookie", "token", "secret", "password", "api-key", "session", "credential", "signature"),
    "private",
)
_PLACES: Final = (
    *("http.request.header.", "http.response.header.", "app.internal.", "db.query.parameter.", "rpc.request.metadata."),
    "",
)
"""Beginnings of the rules' patterns, which resemble those of kept names."""


def make_rules(count: int, rng: random.Random) -> list[Rule]:
    """Returns `count` rules, half of them for whole names and half for prefixes."""
    rules: dict[tuple[str, bool], Rule] = {}
    while len(rules) < count:
        is_prefix = len(rules) % 2 == 1
        secret = f"x-{rng.choice(_SECRETS)}" if rng.random() < 0.5 else rng.choice(_SECRETS)
        number = f"-{rng.randrange(count)}" if count > 20 else ""
        pattern = f"{rng.choice(_PLACES)}{secret}{number}{'-' if is_prefix else ''}"
        rules[pattern, is_prefix] = Rule(pattern, is_prefix, rng.choice(tuple(Action)))
    return list(rules.values())


def make_records(
    rules: Sequence[Rule], miss_share: float, same_order: bool, count: int, rng: random.Random
) -> list[list[str]]:
    """Returns the attribute names of `count` records, of which the share `miss_share` (0 to 1) matches no rule.

    With `same_order`, all records have the same names in the same order, except for names that match a rule. Records of
    one logging statement look like this. Otherwise, names and their number are random.
    """
    if same_order:
        names = rng.sample(KEPT_NAMES, (MIN_ATTRIBUTES + MAX_ATTRIBUTES) // 2)
        return [[_name(rules, miss_share, (name,), rng) for name in names] for _ in range(count)]
    sizes = [rng.randint(MIN_ATTRIBUTES, MAX_ATTRIBUTES) for _ in range(count)]
    return [[_name(rules, miss_share, KEPT_NAMES, rng) for _ in range(size)] for size in sizes]


def _name(rules: Sequence[Rule], miss_share: float, kept: Sequence[str], rng: random.Random) -> str:
    if rng.random() < miss_share:
        return rng.choice(kept)
    rule = rng.choice(rules)
    return rule.pattern + (rng.choice(_FACTS) if rule.is_prefix else "")
