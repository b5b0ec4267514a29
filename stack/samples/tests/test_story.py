import ipaddress
from collections import Counter

import pytest

from kit.errors import InvalidRequest
from schema.severity import Severity
from stack.samples.record import SampleRecord
from stack.samples.shop import BROKEN_PAYMENTS, FIXED_PAYMENTS
from stack.samples.story import MIN_RECORDS, generate
from stack.samples.timeline import HOUR, MINUTE, Timeline

END = 1_790_000_000_123_456_789
DOCUMENTATION = tuple(
    ipaddress.ip_network(network) for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
)


@pytest.fixture(scope="module")
def story() -> list[SampleRecord]:
    return list(generate(seed=1, end_ns=END, count=5000))


def test_equal_arguments_give_equal_logs(story: list[SampleRecord]) -> None:
    assert list(generate(1, END, 5000)) == story
    assert list(generate(2, END, 5000)) != story


@pytest.mark.parametrize("count", [MIN_RECORDS, 501, 3000])
@pytest.mark.parametrize("seed", [0, 7, 99])
def test_exactly_as_many_as_requested(seed: int, count: int) -> None:
    assert len(list(generate(seed, END, count))) == count


def test_too_few_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="at least 500 records, got 499"):
        generate(1, END, 499)


def test_times_are_in_order_and_in_the_last_six_hours(story: list[SampleRecord]) -> None:
    times = [record.timestamp_ns for record in story]
    assert times == sorted(times)
    assert END - 6 * HOUR <= times[0] < END - 5 * HOUR
    assert END - 5 * MINUTE < times[-1] < END


def test_severities_are_skewed(story: list[SampleRecord]) -> None:
    shares = {severity: many / len(story) for severity, many in Counter(record.severity for record in story).items()}
    assert set(shares) == set(Severity)
    assert shares[Severity.info] > 0.6
    assert shares[Severity.debug] > shares[Severity.warn]
    assert 0.02 < shares[Severity.error] < 0.1
    assert shares[Severity.fatal] < 0.01


def test_every_service_speaks_from_its_pods(story: list[SampleRecord]) -> None:
    pods: dict[str, set[str]] = {}
    for record in story:
        pods.setdefault(record.instance.service, set()).add(record.instance.pod)
    assert set(pods) >= {
        "web-gateway",
        "checkout",
        "payments",
        "inventory",
        "search",
        "auth",
        "notifications",
        "orders-db",
    }
    assert len(pods["web-gateway"]) == 3
    assert len(pods["payments"]) == 4


def test_the_incident_can_be_seen_and_ends_with_a_deploy(story: list[SampleRecord]) -> None:
    timeline = Timeline(END)
    during = [record for record in story if timeline.in_incident(record.timestamp_ns)]
    a_usual_window = len(story) * 12 / 360
    assert len(during) > 3 * a_usual_window
    errors = [record for record in story if record.severity >= Severity.error]
    assert sum(timeline.in_incident(record.timestamp_ns) for record in errors) > 0.7 * len(errors)
    payments = [record for record in story if record.instance.service == "payments"]
    calm_again = timeline.incident_end_ns + MINUTE
    assert {record.instance.version for record in payments if record.timestamp_ns > calm_again} == {FIXED_PAYMENTS}
    before = timeline.incident_start_ns
    assert {record.instance.version for record in payments if record.timestamp_ns < before} == {BROKEN_PAYMENTS}


@pytest.mark.parametrize("hours", [1, 6])
@pytest.mark.parametrize("words", ["connection error", "timeout", "connection reset by peer", "connection pool"])
def test_searches_find_something(story: list[SampleRecord], words: str, hours: int) -> None:
    recent = [record for record in story if record.timestamp_ns > END - hours * HOUR]
    found = sum(words in str(record.body).lower() for record in recent)
    assert 3 <= found < len(recent) / 10


def test_failing_requests_share_a_trace_across_services(story: list[SampleRecord]) -> None:
    traces: dict[int, list[SampleRecord]] = {}
    for record in story:
        if record.trace_id:
            traces.setdefault(record.trace_id, []).append(record)
    failed = next(
        lines
        for lines in traces.values()
        if any(line.severity is Severity.error and line.instance.service == "checkout" for line in lines)
    )
    assert {line.instance.service for line in failed} >= {"checkout", "payments", "inventory"}
    spans = {(line.instance, line.span_id) for line in failed}
    assert len(spans) == len({line.span_id for line in failed}) == len({line.instance for line in failed})


def test_kinds_of_values(story: list[SampleRecord]) -> None:
    assert any(record.event_name == "shop.order.placed" and isinstance(record.body, dict) for record in story)
    assert any("\n\tat com.example" in str(record.attributes.get("exception.stacktrace")) for record in story)
    kinds = {type(value) for record in story for value in record.attributes.values()}
    assert kinds >= {str, int, float}


def test_addresses_belong_to_nobody(story: list[SampleRecord]) -> None:
    addresses = {str(record.attributes["client.address"]) for record in story if "client.address" in record.attributes}
    assert len(addresses) > 100
    parsed = [ipaddress.ip_address(address) for address in addresses]
    assert all(any(address in network for network in DOCUMENTATION) for address in parsed)
    hosts = {str(record.attributes["server.address"]) for record in story if "server.address" in record.attributes}
    assert all(host.endswith("example.com") for host in hosts)
