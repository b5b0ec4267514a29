"""Tests that a tenant over its limits is refused over both transports, and that other tenants are not."""

import json
import time
from typing import cast

import grpc
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from tests import otlp
from tests.eventually import eventually
from tests.ingest.exports import call
from tests.ingest.requests import request_of
from tests.ingest.urls import grpc_endpoint, http_url
from tests.running_stack import Stack
from tests.tenants import KNOWN_WITHIN_SECONDS, TenantKeys, new_tenant

OTHERS_SECONDS = 5.0


def set_limits(stack: Stack, tenant: str, *options: str) -> None:
    done = stack.logsieve("tenant", "limits", tenant, *options)
    assert done.returncode == 0, done.stderr


def until_refused(stack: Stack, keys: TenantKeys, records: int) -> dict[str, str]:
    """Sends requests until one is answered 429, and returns the headers of this answer."""
    deadline = time.monotonic() + KNOWN_WITHIN_SECONDS
    while time.monotonic() < deadline:
        sent = otlp.request(*(otlp.record("x" * 100) for _ in range(records)))
        answer = otlp.send(http_url(stack), keys.ingest, sent)
        if answer.status_code == 429:
            assert answer.json()["code"] == grpc.StatusCode.RESOURCE_EXHAUSTED.value[0]
            return dict(answer.headers)
        assert answer.status_code == 200, answer.text
        time.sleep(0.05)
    raise AssertionError(f"nothing was refused in {KNOWN_WITHIN_SECONDS} s")


def export_grpc(stack: Stack, key: str) -> None:
    call(grpc_endpoint(stack), request_of(time.time_ns()).SerializeToString(), key)


@pytest.mark.parametrize("limit", ["--bytes-per-second", "--records-per-second"])
def test_over_its_rate_a_tenant_gets_the_time_to_retry(stack: Stack, limit: str) -> None:
    keys, other = new_tenant(stack, "fast"), new_tenant(stack, "other")
    set_limits(stack, keys.tenant, limit, "10")
    headers = until_refused(stack, keys, records=200)
    assert int(headers["retry-after"]) >= 1

    with pytest.raises(grpc.RpcError) as raised:
        export_grpc(stack, keys.ingest)
    error = cast(grpc.Call, raised.value)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    trailers = dict(error.trailing_metadata() or ())
    details, alone = trailers["grpc-status-details-bin"], trailers["google.rpc.retryinfo-bin"]
    assert isinstance(details, bytes)
    assert isinstance(alone, bytes)
    info = RetryInfo()
    assert Status.FromString(details).details[0].Unpack(info)
    assert info.retry_delay.ToMilliseconds() > 0
    assert RetryInfo.FromString(alone) == info

    started = time.monotonic()
    assert otlp.send(http_url(stack), other.ingest, otlp.request(otlp.record("mine"))).status_code == 200
    export_grpc(stack, other.ingest)
    assert time.monotonic() - started < OTHERS_SECONDS


def test_a_days_quota_is_held_and_can_be_lifted(stack: Stack) -> None:
    keys = new_tenant(stack, "daily")
    set_limits(stack, keys.tenant, "--bytes-per-day", "1000")
    headers = until_refused(stack, keys, records=20)
    assert 1 <= int(headers["retry-after"]) <= 900
    set_limits(stack, keys.tenant, "--no-bytes-per-day")
    body = otlp.request(otlp.record("again"))
    eventually(
        lambda: otlp.send(http_url(stack), keys.ingest, body).status_code == 200,
        "the limit is lifted",
        KNOWN_WITHIN_SECONDS,
    )


def test_limits_are_shown_where_tenants_are_listed(stack: Stack) -> None:
    keys = new_tenant(stack, "listed")
    set_limits(stack, keys.tenant, "--bytes-per-second", "5", "--bytes-per-day", "7")
    set_limits(stack, keys.tenant, "--records-per-second", "6", "--no-bytes-per-day")
    tenants = json.loads(stack.logsieve("tenant", "list", "--json").stdout)
    (limits,) = (each["limits"] for each in tenants if each["name"] == keys.tenant)
    assert limits == {
        "bytes_per_second": 5,
        "records_per_second": 6,
        "bytes_per_day": None,
        "concurrent_searches": None,
        "partitions": None,
    }
    wrong = stack.logsieve("tenant", "limits", keys.tenant, "--bytes-per-day", "1", "--no-bytes-per-day")
    assert wrong.returncode == 2
