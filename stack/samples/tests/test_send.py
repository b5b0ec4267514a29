import socket
from collections import Counter

import pytest

from kit.errors import Forbidden, InvalidRequest, LogsieveError, RateLimited, Unauthenticated, Unavailable
from kit.tests.otlp_collector import collecting
from stack.samples import send
from stack.samples.send import send_samples
from stack.samples.story import generate

END = 1_790_000_000_000_000_000


def test_everything_arrives_with_its_resource_and_severity() -> None:
    progress: list[int] = []
    with collecting() as collector:
        report = send_samples(collector.endpoint, "key", count=1200, seed=3, now_ns=END, progress=progress.append)
    story = list(generate(3, END, 1200))
    assert progress == [500, 1000, 1200]
    assert (report.records, report.requests) == (1200, 3)
    assert (report.first_ns, report.last_ns) == (story[0].timestamp_ns, story[-1].timestamp_ns)
    assert set(collector.keys) == {"Bearer key"}
    assert sorted(record.time_unix_nano for record in collector.records) == [record.timestamp_ns for record in story]
    severities = Counter(record.severity_number for record in collector.records)
    assert severities == Counter(int(record.severity) for record in story)
    pods = Counter(
        next(item.value.string_value for item in resource.resource.attributes if item.key == "k8s.pod.name")
        for request in collector.requests
        for resource in request.resource_logs
        for scope in resource.scope_logs
        for _ in scope.log_records
    )
    assert pods == Counter(record.instance.pod for record in story)


def test_trace_ids_and_structured_bodies_survive() -> None:
    with collecting() as collector:
        send_samples(collector.endpoint, "key", count=1000, seed=3, now_ns=END)
    sent = Counter((record.trace_id, record.span_id) for record in collector.records)
    assert sent == Counter(
        (record.trace_id.to_bytes(16, "big"), record.span_id.to_bytes(8, "big")) if record.trace_id else (b"", b"")
        for record in generate(3, END, 1000)
    )
    placed = [record for record in collector.records if record.event_name == "shop.order.placed"]
    assert placed
    assert {item.key for item in placed[0].body.kvlist_value.values} == {"order", "user", "items", "total"}


def test_refused_records_are_an_error() -> None:
    with (
        collecting(rejected=3) as collector,
        pytest.raises(InvalidRequest, match="kept 497 of 500 sample logs: too old"),
    ):
        send_samples(collector.endpoint, "key", count=500, now_ns=END)


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, Unauthenticated), (403, Forbidden), (400, InvalidRequest), (429, RateLimited), (503, Unavailable)],
)
def test_an_answer_that_is_no_yes_is_an_error(
    status: int, error: type[LogsieveError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send, "REQUEST_SECONDS", 3.0)
    with collecting(status=status) as collector, pytest.raises(error, match=f"the receiver answered {status}"):
        send_samples(collector.endpoint, "key", count=500, now_ns=END)


def test_nobody_listening_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(send, "REQUEST_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(Unavailable, match="did not answer"):
        send_samples(f"http://127.0.0.1:{port}", "key", count=500, now_ns=END)
