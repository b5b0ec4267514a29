"""Tests that a live tail gives each record once across reconnects, only of its tenant, and a reason when it ends."""

import secrets
import time

import httpx2
import pytest
from confluent_kafka import Message, Producer
from confluent_kafka.cimpl import NewTopic

from kit.kafka import kafka_connection
from kit.tls import trusted
from schema.envelope import Envelope
from schema.tenant_partitions import MAX_WAYS, PARTITIONER, partition_of, partitions_of, tenant_key
from schema.topic import admin
from tests import otlp
from tests.api.tail_client import bodies, tail
from tests.api_client import Api
from tests.eventually import eventually
from tests.ingest.requests import request_of
from tests.running_stack import Stack
from tests.tenants import KNOWN_WITHIN_SECONDS, TenantKeys, new_tenant


@pytest.fixture(scope="module")
def tenant(stack: Stack) -> TenantKeys:
    return new_tenant(stack, "tail")


def send(stack: Stack, tenant: TenantKeys, *bodies: str) -> None:
    answer = otlp.send(stack.otlp_http_url, tenant.ingest, otlp.request(*map(otlp.record, bodies)))
    assert answer.status_code == 200


def test_what_matches_arrives_as_a_search_would_show_it(stack: Stack, tenant: TenantKeys) -> None:
    with tail(stack, tenant.query, "order shipped") as client:
        send(stack, tenant, "order 1 shipped", "shipped without order", "nothing")
        first, second = client.logs(2)
    assert first.data is not None
    assert second.data is not None
    assert [first.data["body"], second.data["body"]] == ["order 1 shipped", "shipped without order"]
    path = f"/logs/{first.data['id']}"
    with Api(stack.api_url, tenant.query) as api:
        eventually(lambda: api.get(path).status_code != 404, "the record is stored")
        assert api.ok(path) == first.data


def test_an_attribute_without_a_value_is_found_as_empty_text(stack: Stack, tenant: TenantKeys) -> None:
    query, sent_ns = 'state:""', time.time_ns()
    with tail(stack, tenant.query, query) as client:
        attribute = {"key": "state", "value": {}}
        body = otlp.request(otlp.record("unset", attributes=[attribute]))
        assert otlp.send(stack.otlp_http_url, tenant.ingest, body).status_code == 200
        [event] = client.logs(1)
    assert event.data is not None
    assert event.data["attributes"] == {"state": None}
    with Api(stack.api_url, tenant.query) as api:
        eventually(
            lambda: api.ok("/logs/search", query=query, start=sent_ns)["logs"] == [event.data],
            "the same query finds the same record",
        )


@pytest.mark.one_server
def test_a_new_connection_goes_on_within_a_message(stack: Stack, tenant: TenantKeys) -> None:
    with tail(stack, tenant.query, "step") as client:
        send(stack, tenant, "step 1", "other", "step 2", "step 3")
        first = client.logs(1)[0]
    send(stack, tenant, "step 4")
    with tail(stack, tenant.query, "step", first.id) as client:
        resumed = client.logs(3)
        send(stack, tenant, "step 5")
        resumed += client.logs(1)
    assert bodies(resumed) == ["step 2", "step 3", "step 4", "step 5"]


def test_tenants_do_not_see_each_other(stack: Stack, tenant: TenantKeys) -> None:
    """Sends a record only after the other tenant's tail has shown its own.

    Until then, the API might not have read the other tenant's record, or might never read it from its partition.
    """
    other = new_tenant(stack, "tail-other")
    with tail(stack, other.query, "") as theirs, tail(stack, tenant.query, "") as ours:
        send(stack, other, "theirs")
        assert bodies(theirs.logs(1)) == ["theirs"]
        send(stack, tenant, "ours")
        [event] = ours.logs(1)
    assert bodies([event]) == ["ours"]
    with pytest.raises(AssertionError, match="invalid_cursor"), tail(stack, other.query, "", event.id):
        pass


@pytest.mark.parametrize(("query", "code"), [("(a", "invalid_query"), ("/(/", "invalid_query")])
def test_a_wrong_query_is_refused_before_the_stream(stack: Stack, tenant: TenantKeys, query: str, code: str) -> None:
    with pytest.raises(AssertionError, match=f'"{code}".*"position"'), tail(stack, tenant.query, query):
        pass


def test_a_revoked_key_ends_its_streams(stack: Stack, tenant: TenantKeys) -> None:
    key = stack.logsieve("key", "create", tenant.tenant, "query").stdout.strip()
    url, headers = f"{stack.api_url}/tenant", {"Authorization": f"Bearer {key}"}
    eventually(
        lambda: httpx2.get(url, headers=headers, timeout=30, verify=trusted()).status_code == 200, "the key is known"
    )
    with tail(stack, key, "never matched") as client:
        done = stack.logsieve("key", "revoke", key.split("_")[2])
        assert done.returncode == 0, done.stderr
        revoked = time.monotonic()
        while (event := client.next()).data is None:
            pass
        assert time.monotonic() - revoked < KNOWN_WITHIN_SECONDS
    assert event.name == "end"
    assert event.data["code"] == "unauthenticated"


def test_a_tail_whose_tenant_gets_more_partitions_ends_and_resumes_in_them(stack: Stack) -> None:
    count = stack.settings.kafka_partitions
    keys = new_tenant(stack, "wide")
    while not (further := partitions_of(keys.id, count, MAX_WAYS) - partitions_of(keys.id, count)):
        keys = new_tenant(stack, "wide")
    way = next(way for way in range(MAX_WAYS) if partition_of(tenant_key(keys.id, way), count) in further)
    with tail(stack, keys.query, "") as client:
        send(stack, keys, "before")
        [first] = client.logs(1)
        done = stack.logsieve("tenant", "limits", keys.tenant, "--partitions", str(MAX_WAYS))
        assert done.returncode == 0, done.stderr
        end = client.event()
    assert end.data is not None
    assert (end.name, end.data["code"]) == ("end", "unavailable")
    assert "more partitions" in end.data["detail"]

    write_to_way(stack, keys, way)
    with tail(stack, keys.query, "", first.id) as client:
        assert len(client.logs(1)) == 1
        write_to_way(stack, keys, way)
        assert len(client.logs(1)) == 1


def write_to_way(stack: Stack, keys: TenantKeys, way: int) -> None:
    """Writes a record as a receiver does that uses this key of the tenant."""
    now = time.time_ns()
    producer = Producer({**kafka_connection(stack.settings), "partitioner": PARTITIONER})
    headers = Envelope(keys.id, keys.lane, "r30", 4096, now).headers()
    value = request_of(now).SerializeToString()
    producer.produce(stack.settings.kafka_topic, value, key=tenant_key(keys.id, way), headers=headers)
    assert producer.flush(20) == 0


def test_the_partition_of_a_key_is_where_librdkafka_writes_it(stack: Stack) -> None:
    topic, partitions = f"keys-{secrets.token_hex(4)}", 7
    client = admin(stack.settings)
    client.create_topics([NewTopic(topic, num_partitions=partitions)])[topic].result()
    written: dict[bytes, int] = {}

    def report(_error: object, message: Message) -> None:
        key, partition = message.key(), message.partition()
        assert isinstance(key, bytes)
        assert partition is not None
        written[key] = partition

    keys = [tenant_key(tenant_id, way) for tenant_id in range(1, 5000, 123) for way in range(MAX_WAYS)]
    producer = Producer({**kafka_connection(stack.settings), "partitioner": PARTITIONER})
    try:
        for key in keys:
            producer.produce(topic, None, key=key, on_delivery=report)
        assert producer.flush(20) == 0
    finally:
        client.delete_topics([topic])[topic].result()
    assert written == {key: partition_of(key, partitions) for key in keys}
