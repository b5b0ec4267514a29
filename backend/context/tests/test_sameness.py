"""Tests that records of a context share the given fields' values, and which values are refused."""

import pytest

from backend.context.sameness import MAX_VALUE_BYTES, Same, read_same, sharing
from backend.language.print import print_query
from backend.store.tests.fake_log_store import stored_row
from kit.errors import InvalidRequest

RECORD = stored_row(5, 6)
TRACE_ID = bytes.fromhex("0a" * 16)


def test_names_are_read_once_each() -> None:
    assert read_same("") == ()
    assert read_same("host, service,host,") == (Same.host, Same.service)
    with pytest.raises(InvalidRequest, match="same: node is not one of service, host, pod, trace"):
        read_same("host,node")


def test_values_are_the_records_own() -> None:
    resource = {"host.name": "n1", "k8s.pod.name": "7"}
    found = RECORD._replace(service="a b", trace_id=TRACE_ID, resource=resource, resource_types="si")

    assert print_query(sharing(found, ())) == "*"
    assert print_query(sharing(found, (Same.host,))) == "resource.host.name:n1"
    assert print_query(sharing(found, tuple(Same))) == (
        f'service:"a b" resource.host.name:n1 resource.k8s.pod.name:7 trace_id:{"0a" * 16}'
    )


@pytest.mark.parametrize(
    ("same", "lacks"),
    [(Same.service, "service"), (Same.trace, "trace_id"), (Same.pod, "k8s.pod.name"), (Same.host, "host.name")],
)
def test_what_the_record_lacks_is_refused(same: Same, lacks: str) -> None:
    with pytest.raises(InvalidRequest, match=f"{lacks}, so leave `{same}` out"):
        sharing(RECORD._replace(service="", resource={"host.name": ""}), (same,))


@pytest.mark.parametrize("character", ["x", "é", "\n"])
def test_a_value_that_clickhouse_would_refuse_as_a_parameter_is_refused(character: str) -> None:
    longest = character * (MAX_VALUE_BYTES // len(character.encode()))
    sharing(RECORD._replace(resource={"host.name": longest}), (Same.host,))

    with pytest.raises(InvalidRequest, match=r"host\.name has 65,53\d bytes.* at most 65,536: leave `host` out"):
        sharing(RECORD._replace(resource={"host.name": longest + character}), (Same.host,))
