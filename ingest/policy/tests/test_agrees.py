"""Native code changes requests as the definition of attribute rules says."""

import random
import string

import pytest
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.policy.apply import Policy
from ingest.policy.tests.definition import apply_rules
from ingest.policy.tests.requests import Plain, request
from logsieve_native import Message
from schema.attribute_rules import NO_RULES, Action, Rule, TenantRules
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import decode_message
from schema.tests.otlp_messages import Messages
from schema.tests.utf8 import with_utf8
from tests.chance import SEED, repetitions

_ENVELOPE = Envelope(1, 0, "r30", 4096, 1_700_000_000_000_000_000)
_COUNTS = ("records", "attributes", "scope_attributes", "groups", "nested_values", "row_bytes", "row_attributes")
_REQUESTS = repetitions(750)
_ODD_REQUESTS = repetitions(1_250)
_PARTS = ("a", "b", "A.b", "é", "É", "ß", "SS", "k1", "service", "name", "x" * 60, "")


class Rules:
    """Random rules about names that occur in the messages of the tests."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def any(self) -> TenantRules:
        return TenantRules(self._some(), self._some())

    def _some(self) -> tuple[Rule, ...]:
        choose = self._random
        patterns = {self.name().casefold() for _ in range(choose.randrange(6))} - {""}
        return tuple(Rule(each, choose.random() < 0.5, choose.choice(tuple(Action))) for each in sorted(patterns))

    def name(self) -> str:
        return ".".join(self._random.choices(_PARTS, k=self._random.randint(1, 3)))

    def attributes(self, depth: int = 0) -> dict[str, Plain]:
        return {self.name(): self._value(depth) for _ in range(self._random.randrange(4))}

    def _value(self, depth: int) -> Plain:
        choose = self._random
        flat: tuple[Plain, ...] = ("text", "", 7, -1, 0.5, True, None, b"bytes", "x" * 200, '\x01"\\' * 9)
        if depth == 3 or choose.random() < 0.4:
            return choose.choice(flat)
        nested = self.attributes(depth + 1)
        return choose.choice((nested, [nested, choose.choice(flat), [nested]]))


def _checked(raw: bytes, rules: TenantRules) -> tuple[bytes, int, int]:
    """Returns the request after the rules and its counts. Checks the survey that comes with it."""
    before = Message(raw, _ENVELOPE.received_at)
    applied = Policy(rules).apply(before)
    survey = Message(applied.message.value, _ENVELOPE.received_at)
    assert [getattr(applied.message, each) for each in _COUNTS] == [getattr(survey, each) for each in _COUNTS]
    assert (applied.message.times, applied.message.days) == (survey.times, survey.days)
    assert (applied.message is before) == (applied.dropped + applied.masked == 0)
    return applied.message.value, applied.dropped, applied.masked


@pytest.mark.parametrize("seed", [f"{SEED} {number}" for number in range(4)])
def test_requests_become_what_the_definition_makes_of_them(seed: str) -> None:
    chosen, changes = Rules(seed), 0
    for _ in range(_REQUESTS):
        got = request(chosen.attributes(), chosen.attributes(), chosen.attributes(), body=chosen.attributes())
        rules = chosen.any()
        value, dropped, masked = _checked(got.SerializeToString(), rules)
        assert (dropped, masked) == apply_rules(got, rules)
        assert ExportLogsServiceRequest.FromString(value) == got
        changes += dropped + masked
    assert changes > _REQUESTS * 2 // 3


@pytest.mark.parametrize("seed", [f"{SEED} {number}" for number in range(4)])
def test_odd_requests_have_the_rows_that_the_definition_leaves(seed: str) -> None:
    messages, chosen, changed = Messages(seed), Rules(seed), 0
    for number in range(_ODD_REQUESTS):
        raw, rules, coordinates = with_utf8(messages.any()), chosen.any(), Coordinates(3, 1, number)
        expected = ExportLogsServiceRequest()
        try:
            expected.ParseFromString(raw)
        except DecodeError:
            continue
        value, dropped, masked = _checked(raw, rules)
        apply_rules(expected, rules)
        found = decode_message(value, _ENVELOPE, coordinates).lists()
        left = decode_message(expected.SerializeToString(), _ENVELOPE, coordinates).lists()
        assert repr(found) == repr(left), (seed, number, raw.hex())
        changed += dropped + masked > 0
    assert changed > _ODD_REQUESTS // 25


def test_every_character_is_folded_as_rules_are() -> None:
    # Python has the rules' patterns folded; characters that its Unicode does not know yet are in no rule.
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    changed = [each for each in characters if each.casefold() != each]
    assert len(changed) > 1_400
    rules = [Rule(f"{each.casefold()}-{at}", False, Action.mask) for at, each in enumerate(changed)]
    policy = Policy(TenantRules(tuple(rules)))
    assert [each for at, each in enumerate(changed) if policy.action(f"{each}-{at}") is not Action.mask] == []
    same = "".join(each for each in characters[:0x3000] if each.casefold() == each and each not in string.whitespace)
    policy = Policy(TenantRules(tuple(Rule(each, False, Action.drop) for each in same)))
    assert {policy.action(each) for each in same} == {Action.drop}


def test_without_rules_nothing_changes() -> None:
    raw = request({"a": "1"}).SerializeToString()
    assert _checked(raw, NO_RULES) == (raw, 0, 0)
