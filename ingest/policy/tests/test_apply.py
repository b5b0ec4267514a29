import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from ingest.policy.apply import Policy
from ingest.policy.tests.requests import Plain, apply, policy, request
from kit.errors import TooLarge
from schema.attribute_rules import Action, Rule, TenantRules


def test_log_resource_and_scope_attributes_are_dropped_and_masked() -> None:
    before: dict[str, Plain] = {"keep": "1", "Secret": "s3cret", "internal.a": 1, "internal.b": True}
    after: dict[str, Plain] = {"keep": "1", "Secret": "***"}
    got = request(before, before, before)
    applied = apply(policy(mask="secret", drop_prefix="internal."), got)
    assert got == request(after, after, after)
    assert applied == (8, 4)


@pytest.mark.parametrize("plain", ["text", "", 7, 0.5, True, b"bytes", None, ["a", {"b": 1}], {"c": {"d": 1}}])
def test_a_value_of_any_type_is_masked_as_a_whole(plain: Plain) -> None:
    got = request({"secret": plain, "keep": plain})
    apply(policy(mask="secret"), got)
    assert got == request({"secret": "***", "keep": plain})


def test_a_name_that_comes_twice_is_met_twice() -> None:
    got = request([("secret", "1"), ("a", "2"), ("SECRET", "3"), ("a", "4"), ("secret", "5")])
    assert apply(policy(mask="secret", drop="a"), got) == (4, 6)
    assert got == request([("secret", "***"), ("SECRET", "***"), ("secret", "***")])


def test_order_stays_and_a_record_without_attributes_stays() -> None:
    got = request({"a": "1", "x1": "2", "b": "3", "x2": "4", "c": "5"})
    apply(policy(drop_prefix="x"), got)
    assert got == request({"a": "1", "b": "3", "c": "5"})
    apply(policy(drop="a b c"), got)
    assert got == request({})
    assert len(got.resource_logs[0].scope_logs[0].log_records) == 2


def test_nothing_changes_where_nothing_matches() -> None:
    plain: dict[str, Plain] = {"a": 1, "nested": {"deep": [{"x": "y"}, ["z"]]}, "secretly": "fine"}
    got = request(plain, plain, plain, body=plain)
    applied = apply(policy(drop="secret", mask_prefix="internal."), got)
    assert applied == (0, 0)
    assert got == request(plain, plain, plain, body=plain)


@pytest.mark.parametrize(
    ("rules", "after"),
    [
        ({"drop": "password"}, {"user": {"name": "ann", "keys": [{"id": 1}, [{}]]}}),
        (
            {"mask": "password"},
            {"user": {"name": "ann", "keys": [{"id": 1}, [{"Password": "***"}]], "password": "***"}},
        ),
        ({"drop": "user.password"}, {"user": {"name": "ann", "keys": [{"id": 1}, [{"Password": "q"}]]}}),
        ({"drop": "keys.password"}, {"user": {"name": "ann", "keys": [{"id": 1}, [{}]], "password": "p"}}),
        ({"drop": "user.keys.password"}, {"user": {"name": "ann", "keys": [{"id": 1}, [{}]], "password": "p"}}),
        ({"drop_prefix": "user.keys."}, {"user": {"name": "ann", "keys": [{}, [{}]], "password": "p"}}),
        ({"mask": "keys"}, {"user": {"name": "ann", "keys": "***", "password": "p"}}),
        ({"drop_prefix": "user."}, {"user": {}}),
        # The longest of an entry's names that a rule matches decides.
        (
            {"drop": "password", "mask": "user.password"},
            {"user": {"name": "ann", "keys": [{"id": 1}, [{}]], "password": "***"}},
        ),
    ],
)
def test_nested_entries_are_met_by_key_and_by_dotted_name(rules: dict[str, str], after: dict[str, Plain]) -> None:
    before: dict[str, Plain] = {
        "user": {"name": "ann", "keys": [{"id": 1}, [{"Password": "q"}]], "password": "p"},
    }
    got = request(before, before, before)
    apply(policy(**rules), got)
    assert got == request(after, after, after)


def test_wrapping_does_not_hide_a_name() -> None:
    header: Plain = {"http.request.header.authorization": "s"}
    split: Plain = {"http": {"request": {"header": {"Authorization": "s"}}}}
    for _ in range(10):
        header, split = {"w": header}, {"w": [split]}
    got = request({"header": header, "split": split})
    assert apply(policy(drop="http.request.header.authorization"), got)[0] == 4
    assert b"uthorization" not in got.SerializeToString()


def test_entries_of_a_structured_body_are_names_as_well() -> None:
    got = request(body={"user": "ann", "password": "p", "list": [{"token": "t"}]})
    apply(policy(mask="password list.token"), got)
    assert got == request(body={"user": "ann", "password": "***", "list": [{"token": "***"}]})
    text = request(body="password=p")
    apply(policy(drop="password"), text)
    assert text == request(body="password=p")


def test_what_cannot_be_read_does_not_survive_a_mask() -> None:
    got = request({"secret": "x"})
    pair = got.resource_logs[0].scope_logs[0].log_records[0].attributes[0]
    pair.MergeFromString(b"\xfa\x07\x06s3cret")
    assert b"s3cret" in got.SerializeToString()
    apply(policy(mask="secret"), got)
    assert b"s3cret" not in got.SerializeToString()


def test_more_names_than_a_request_may_have_are_too_large() -> None:
    rules = Policy(TenantRules((Rule("secret", False, Action.drop),)), max_lookups=100)
    apply(rules, request({str(number): "" for number in range(50)}))
    for too_many in (
        request({str(number): "" for number in range(51)}),
        request({"list": [None] * 100}),
        request(scope={str(number): "" for number in range(101)}),
        request(body={str(number): "" for number in range(101)}),
    ):
        with pytest.raises(TooLarge, match="100 attributes and nested names"):
            apply(rules, too_many)


def fewest_lookups(pattern: str, got: ExportLogsServiceRequest) -> int:
    """Returns the smallest limit with which the rule can be applied to the request."""
    for lookups in range(100):
        try:
            apply(Policy(TenantRules((Rule(pattern, False, Action.drop),)), max_lookups=lookups), got)
        except TooLarge:
            continue
        return lookups
    raise AssertionError("no limit is enough")


def test_long_nested_names_count_several_times_if_a_rule_can_be_as_long() -> None:
    long, short = (request(body={"a": {"b" * size: "x"}}) for size in (250, 1))
    assert fewest_lookups("secret", long) == fewest_lookups("secret", short) == fewest_lookups("s" * 256, short)
    # In each of the two records, the name of 250 bytes is looked up twice, and each look-up counts four times.
    assert fewest_lookups("s" * 256, long) == fewest_lookups("s" * 256, short) + 2 * 2 * 3
