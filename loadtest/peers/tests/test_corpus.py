"""Tests that the requests contain the records from which the known answers are computed."""

from typing import Final

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from loadtest.corpus.records import NUMBER
from loadtest.peers.corpus import BUCKET_NS, BUCKETS, SPAN_NS, PeerCorpus, read_requests, write_requests
from loadtest.peers.questions import PAGE, Kind, Question, known_answer, read_questions

CORPUS: Final = PeerCorpus(9_000, 1, 1_800_000_000 * 10**9)
KNOWN: Final = [each for each in read_questions() if each.planted is not None]


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    file = tmp_path_factory.mktemp("peers") / "requests"
    write_requests(CORPUS, file)
    return list(read_requests(file))


@pytest.fixture(scope="module")
def records(requests: list[bytes]) -> dict[int, LogRecord]:
    every = [
        record
        for body in requests
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    ]
    found = {number_of(record): record for record in every}
    assert len(found) == len(every)
    return found


def number_of(record: LogRecord) -> int:
    return next(each.value.int_value for each in record.attributes if each.key == NUMBER)


def test_every_record_is_sent_once_with_its_time(records: dict[int, LogRecord]) -> None:
    assert sorted(records) == list(range(CORPUS.records))
    assert all(record.time_unix_nano == CORPUS.time_ns(number) for number, record in records.items())
    assert CORPUS.time_ns(CORPUS.records - 1) < CORPUS.end_ns == CORPUS.start_ns + SPAN_NS


def test_no_time_is_on_the_boundary_of_a_bucket(records: dict[int, LogRecord]) -> None:
    assert all((record.time_unix_nano - CORPUS.start_ns) % BUCKET_NS for record in records.values())


@pytest.mark.parametrize("question", KNOWN, ids=lambda each: each.name)
def test_the_known_answer_is_what_the_bodies_say(question: Question, records: dict[int, LogRecord]) -> None:
    text = question.planted or ""
    found = sorted((number for number, each in records.items() if text in each.body.string_value), reverse=True)

    answer = known_answer(question, CORPUS)

    if question.kind is Kind.page:
        assert answer == tuple(found[:PAGE])
    else:
        assert answer is not None
        assert sum(answer) == len(found)
        assert len(answer) == BUCKETS


def test_each_frequency_is_as_its_name_says() -> None:
    large = PeerCorpus(300_000, 1, 0)
    by_name = {each.name: sum(known_answer(each, large) or ()) for each in KNOWN if each.kind is Kind.count}

    assert by_name == {
        "count of all": 300_000,
        "count of a frequent word": 150_000,
        "count of the 0.05 % word": 150,
    }
    scarce = next(each for each in KNOWN if each.name == "word of 4 records")
    assert len(known_answer(scarce, large) or ()) == 4


def test_one_service_is_rare(requests: list[bytes]) -> None:
    services = [
        next(each.value.string_value for each in resource.resource.attributes if each.key == "service.name")
        for body in requests
        for resource in ExportLogsServiceRequest.FromString(body).resource_logs
    ]

    assert services.count("rarely") == 1
    assert len(set(services)) > 5
