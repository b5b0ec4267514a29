"""Tests that attributes which a rule names, and texts that a redaction finds, reach neither ClickHouse nor Kafka."""

import time
import uuid
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, TopicPartition

from kit.kafka import kafka_connection
from tests import otlp
from tests.api_client import Api
from tests.eventually import eventually
from tests.ingest.stored import Row, stored_rows
from tests.ingest.urls import http_url
from tests.running_stack import Stack
from tests.tenants import TenantKeys, new_tenant

IN_FORCE_SECONDS = 20.0
"""Longest wait, in seconds, for changed rules to take effect: 5 s by the contract, and 15 s more for busy machines."""

MASKED = "http.request.header.Authorization"


def is_masked(row: Row) -> bool:
    return bool(row["attributes"][MASKED] == "***")


def attribute(name: str, text: str) -> dict[str, object]:
    return {"key": name, "value": {"stringValue": text}}


def send(stack: Stack, tenant: TenantKeys, body: str, secret: str) -> None:
    """Sends one record with the secret in attributes of the record, resource and scope, and in a nested attribute."""
    attributes = [
        attribute("http.request.header.Authorization", secret),
        attribute("app.internal.path", secret),
        attribute("kept", "kept"),
        {"key": "context", "value": {"kvlistValue": {"values": [attribute("app.internal.node", secret)]}}},
    ]
    request = otlp.request(otlp.record(body, attributes=attributes))
    (resource_logs,) = request["resourceLogs"]
    resource_logs["resource"]["attributes"].append(attribute("APP.INTERNAL.HOST", secret))
    (scope_logs,) = resource_logs["scopeLogs"]
    scope_logs["scope"] = {"name": "policy", "attributes": [attribute("app.internal.build", secret)]}
    answer = otlp.send(http_url(stack), tenant.ingest, request)
    assert (answer.status_code, answer.json()) == (200, {})


def wait_until_in_force(stack: Stack, tenant: TenantKeys, text: str, is_in_force: Callable[[Row], bool]) -> None:
    """Sends records with `text` in their bodies until `is_in_force` returns true for a stored row."""

    def is_stored_so() -> bool:
        marker = uuid.uuid4().hex
        send(stack, tenant, f"{marker} {text}", "probe")
        (row,) = stored_rows(stack, marker, 1)
        return is_in_force(row)

    eventually(is_stored_so, "the rules are in force", IN_FORCE_SECONDS)


def kafka_holds(stack: Stack, text: str) -> bool:
    """Returns true if a message of the topic contains the text. Reads the topic up to its present end."""
    topic = stack.settings.kafka_topic
    consumer = Consumer({**kafka_connection(stack.settings), "group.id": uuid.uuid4().hex})
    try:
        partitions = [TopicPartition(topic, each) for each in consumer.list_topics(topic, 10).topics[topic].partitions]
        ends = {each.partition: consumer.get_watermark_offsets(each, 10) for each in partitions}
        left = {partition for partition, (low, high) in ends.items() if high > low}
        consumer.assign([TopicPartition(topic, partition, ends[partition][0]) for partition in left])
        deadline = time.monotonic() + 60
        while left:
            assert time.monotonic() < deadline, f"partitions {left} were not read to their end"
            message = consumer.poll(1)
            if message is None or message.error() is not None:
                continue
            if text.encode() in (message.value() or b""):
                return True
            partition, offset = message.partition(), message.offset()
            assert partition is not None
            assert offset is not None
            if offset + 1 >= ends[partition][1]:
                left.discard(partition)
        return False
    finally:
        consumer.close()


def logsieve(stack: Stack, *arguments: str) -> str:
    done = stack.logsieve("policy", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_a_rule_names_is_stored_nowhere(stack: Stack) -> None:
    tenant, other = new_tenant(stack, "policy"), new_tenant(stack, "no-policy")
    logsieve(stack, "add", "http.request.header.authorization", "mask", "--tenant", tenant.tenant)
    logsieve(stack, "add", "app.internal.", "drop", "--prefix", "--tenant", tenant.tenant)
    wait_until_in_force(
        stack, tenant, "", lambda row: row["attributes"].keys() == {MASKED, "kept", "context"} and is_masked(row)
    )

    secret, marker = f"secret-{uuid.uuid4().hex}", uuid.uuid4().hex
    send(stack, tenant, marker, secret)
    (row,) = stored_rows(stack, marker, 1)
    assert row["attributes"] == {"http.request.header.Authorization": "***", "kept": "kept", "context": "{}"}
    assert row["resource"] == {"service.name": "checkout"}
    assert secret not in str(row)
    assert not kafka_holds(stack, secret)
    assert kafka_holds(stack, marker)

    # The same request of a tenant without rules shows that `kafka_holds` would have found the secret.
    others_secret, others_marker = f"secret-{uuid.uuid4().hex}", uuid.uuid4().hex
    send(stack, other, others_marker, others_secret)
    (row,) = stored_rows(stack, others_marker, 1)
    assert row["attributes"]["http.request.header.Authorization"] == others_secret
    assert kafka_holds(stack, others_secret)

    logsieve(stack, "remove", "app.internal.", "--prefix", "--tenant", tenant.tenant)
    wait_until_in_force(stack, tenant, "", lambda row: "app.internal.path" in row["attributes"])
    marker = uuid.uuid4().hex
    send(stack, tenant, marker, "shown-again")
    (row,) = stored_rows(stack, marker, 1)
    assert row["attributes"]["app.internal.path"] == "shown-again"
    assert row["attributes"]["http.request.header.Authorization"] == "***"


def test_what_is_redacted_in_a_body_is_stored_nowhere(stack: Stack) -> None:
    tenant = new_tenant(stack, "redacted")
    logsieve(stack, "redact", "email", "--tenant", tenant.tenant)
    logsieve(stack, "redact", "session", "--regex", "session-[0-9a-f]+", "--tenant", tenant.tenant)
    assert "session-[0-9a-f]+" in logsieve(stack, "redactions", "--tenant", tenant.tenant)
    wait_until_in_force(stack, tenant, "session-ab a@b.example", lambda row: row["body"].endswith(" *** ***"))

    secret, marker = uuid.uuid4().hex, uuid.uuid4().hex
    pairs = [attribute("mail", f"{secret}@shop.example"), attribute("plain", "kept")]
    record = otlp.record(f"{marker} {secret}@shop.example session-{secret}.")
    structured = {"kvlistValue": {"values": [*pairs, attribute("marker", marker)]}}
    answer = otlp.send(http_url(stack), tenant.ingest, otlp.request(record, record | {"body": structured}))
    assert (answer.status_code, answer.json()) == (200, {})
    bodies = {row["body"] for row in stored_rows(stack, marker, 2)}
    assert bodies == {f"{marker} *** ***.", f'{{"mail":"***","plain":"kept","marker":"{marker}"}}'}
    assert kafka_holds(stack, marker)
    assert not kafka_holds(stack, secret)

    logsieve(stack, "keep", "session", "--tenant", tenant.tenant)
    wait_until_in_force(stack, tenant, "session-ab a@b.example", lambda row: "session-ab" in row["body"])
    marker = uuid.uuid4().hex
    otlp.send(http_url(stack), tenant.ingest, otlp.request(otlp.record(f"{marker} session-ab a@b.example")))
    assert [row["body"] for row in stored_rows(stack, marker, 1)] == [f"{marker} session-ab ***"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("own", "--regex", "("), "unclosed group"),
        (("own", "--regex", "a*"), "empty text"),
        (("own", "--regex", "(a{1000}){1000}"), "size limit"),
        (("email", "--regex", "a"), "built in"),
        (("unknown",), "is not built in"),
    ],
)
def test_redactions_that_cannot_be_used_are_refused(stack: Stack, arguments: tuple[str, ...], reason: str) -> None:
    done = stack.logsieve("policy", "redact", *arguments)
    assert done.returncode == 1
    assert reason in done.stderr


def test_an_api_search_sees_the_mask(stack: Stack) -> None:
    tenant = new_tenant(stack, "policy-search")
    logsieve(stack, "add-defaults", "--tenant", tenant.tenant)
    wait_until_in_force(stack, tenant, "", is_masked)
    marker = uuid.uuid4().hex
    send(stack, tenant, marker, "s3cret")
    stored_rows(stack, marker, 1)
    with Api(stack.api_url, tenant.query) as api:
        (log,) = api.ok("/logs/search", query=f'"{marker}"')["logs"]
    assert log["attributes"]["http.request.header.Authorization"] == "***"
    assert log["attributes"]["app.internal.path"] == "s3cret"


def test_wrong_rules_are_refused_with_a_reason(stack: Stack) -> None:
    for arguments, reason in (
        (("add", "", "drop", "--prefix"), "the name is empty"),
        (("add", "x", "drop", "--tenant", "nobody"), "there is no tenant 'nobody'"),
        (("remove", "never-added"), "no rule on the name 'never-added'"),
    ):
        done = stack.logsieve("policy", *arguments)
        assert (done.returncode, reason in done.stderr) == (1, True), done.stderr
    assert stack.logsieve("policy", "add", "x", "encrypt").returncode == 2
