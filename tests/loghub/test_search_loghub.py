"""Tests that searches over twenty thousand real lines, in all forms of the query language, find what a scan finds.

Each case is a query and its meaning as a predicate. All pages together must have the lines that a scan finds, in the
right order, and the histogram must count as many. Pages of the empty query have all lines. If another query finds many
lines, only the pages of a part of the time range are read.
"""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from schema.severity import Severity
from tests.api_client import Api
from tests.eventually import eventually
from tests.loghub import scan
from tests.loghub.lines import LOGHUB, Line, read_lines
from tests.loghub.scan import Predicate, every, no, phrase, prefix, regex, some, substring, word
from tests.loghub.send import offset_ns, send_lines
from tests.running_stack import Stack
from tests.tenants import new_tenant

pytestmark = pytest.mark.skipif(not LOGHUB.is_dir(), reason=f"the loghub files are not at {LOGHUB}")

MANY_LINES: Final = 5_000
"""Largest number of found lines of which all pages are read. Of more, those of a part of the time range are read."""
PART_LINES: Final = 400
"""Number of the line of each file, of 2,000 lines, before which the part of the time range ends."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The sent lines, a client of the tenant that has them, and their time range."""

    lines: list[Line]
    api: Api
    start_ns: int
    end_ns: int


@pytest.fixture(scope="module")
def loaded(stack: Stack) -> Iterator[Loaded]:
    lines = read_lines()
    assert len(lines) > 19_900
    keys = new_tenant(stack, "loghub")
    first_ns = time.time_ns() - 1800 * 10**9
    send_lines(stack, keys.ingest, lines, first_ns)
    with Api(stack.api_url, keys.query) as api:
        loaded = Loaded(lines, api, first_ns, first_ns + 60 * 10**9)
        api.wait_for_count(len(lines), loaded.start_ns, loaded.end_ns)
        # Fields are counted after the rows of their batch are stored.
        eventually(lambda: field_counts(loaded).get("service") == len(lines), "the fields are counted")
        yield loaded


def field_counts(loaded: Loaded) -> dict[str, int]:
    """Returns the number of records of each field."""
    answer = loaded.api.ok("/logs/fields", start=loaded.start_ns, end=loaded.end_ns)
    return {field["name"]: field["records"] for field in answer["fields"]}


def service(name: str) -> Predicate:
    return lambda line: line.service == name


def severity_at_least(lowest: Severity) -> Predicate:
    return lambda line: line.severity is not None and line.severity >= lowest


CASES: list[tuple[str, Predicate]] = [
    ("", lambda _: True),
    ("*", lambda _: True),
    ("authentication", word("authentication")),
    ("AUTHENTICATION failure", every(word("authentication"), word("failure"))),
    ("failure authentication", every(word("authentication"), word("failure"))),
    ("error", word("error")),
    ("error OR fatal", some(word("error"), word("fatal"))),
    ("error -instruction", every(word("error"), no(word("instruction")))),
    ("NOT info", no(word("info"))),
    ("NOT (info OR error OR warn)", no(some(word("info"), word("error"), word("warn")))),
    (
        "info exception OR kernel fatal",
        some(every(word("info"), word("exception")), every(word("kernel"), word("fatal"))),
    ),
    ("thisisnowhere", word("thisisnowhere")),
    ('"authentication failure"', phrase("authentication failure")),
    ('"failure authentication"', phrase("failure authentication")),
    ('"Got exception while serving"', phrase("got exception while serving")),
    ("dfs.DataNode$PacketResponder", phrase("dfs.DataNode$PacketResponder")),
    ("10.251.214.130", phrase("10 251 214 130")),
    ("50010:Got", phrase("50010 Got")),
    ("rhost=218.188.2.4", phrase("rhost 218 188 2 4")),
    ("blk_38865049064139660", phrase("blk 38865049064139660")),
    ("myid=1", phrase("myid=1")),
    ("authent*", prefix("authent")),
    ("*uthentic*", substring("uthentic")),
    ("*pam_unix\\)\\[*", substring("pam_unix)[")),
    (r"/user=\w+/", regex(r"user=\w+")),
    (r"/^\[Sun Dec 04/", regex(r"^\[Sun Dec 04")),
    (
        r"/(?i)FAILED password for (invalid user )?[a-z]+ from/",
        regex(r"(?i)FAILED password for (invalid user )?[a-z]+ from"),
    ),
    ("service:apache", service("apache")),
    ("service:apache -notice", every(service("apache"), no(word("notice")))),
    ("service:(apache OR hdfs) error", every(some(service("apache"), service("hdfs")), word("error"))),
    ("service:open*", lambda line: line.service.startswith("open")),
    ("severity:>=warn", severity_at_least(Severity.warn)),
    ("severity:error", lambda line: line.severity is Severity.error),
    ("-severity:info", lambda line: line.severity is not Severity.info),
    ("line:[100 TO 120]", lambda line: 100 <= line.number <= 120),
    ("line:>1990 service:bgl", every(lambda line: line.number > 1990, service("bgl"))),
    ("line:(7 OR 8)", lambda line: line.number in (7, 8)),
    ("odd:true line:<10", lambda line: line.number % 2 == 1 and line.number < 10),
    ("log.file.name:linux*", lambda line: line.service == "linux"),
    ("log.file.name:*", lambda _: True),
    ("nothing.like.it:*", lambda _: False),
    ("resource.host.name:host-3", lambda line: line.service == "hadoop"),
    ("host.name:host-3", lambda line: line.service == "hadoop"),
    ("attributes.host.name:host-3", lambda _: False),
    ("scope.name:loghub line:1", lambda line: line.number == 1),
    ('body:"check pass" service:linux', every(phrase("check pass"), service("linux"))),
    ("log.file.name:~hadoop", service("hadoop")),
]


@pytest.mark.parametrize(("query", "predicate"), CASES, ids=[query or "(empty)" for query, _ in CASES])
def test_every_answer_is_what_a_scan_finds(loaded: Loaded, query: str, predicate: Predicate) -> None:
    found = [line for line in loaded.lines if predicate(line)]
    end_ns = loaded.end_ns
    if query and len(found) > MANY_LINES:
        end_ns = loaded.start_ns + offset_ns(PART_LINES)
        paged = [line for line in found if offset_ns(line.number) < offset_ns(PART_LINES)]
    else:
        paged = found

    logs = list(loaded.api.pages(query, loaded.start_ns, end_ns))

    expected = Counter((line.service, line.number) for line in paged)
    assert Counter((log["service"], log["attributes"]["line"]) for log in logs) == expected
    places = [(log["timestamp"], log["id"]) for log in logs]
    assert places == sorted(places, reverse=True)
    assert len(set(places)) == len(places)
    assert loaded.api.count(query, loaded.start_ns, loaded.end_ns) == len(found)


def test_oldest_first_is_the_same_backwards(loaded: Loaded) -> None:
    newest = [log["id"] for log in loaded.api.pages("failure", loaded.start_ns, loaded.end_ns)]
    oldest = [log["id"] for log in loaded.api.pages("failure", loaded.start_ns, loaded.end_ns, order="asc", limit=20)]

    assert newest == oldest[::-1]


def test_words_taken_from_the_lines_are_found(loaded: Loaded) -> None:
    """Tests words of six frequencies, from the most frequent to the rarest word of all lines."""
    frequency = Counter(present for line in loaded.lines for present in set(scan.words(line.text)))
    by_frequency = [present for present, _ in frequency.most_common()]
    sample = [by_frequency[place] for place in (0, 5, 50, 500, 2000, len(by_frequency) - 1)]

    for wanted in sample:
        assert loaded.api.count(wanted, loaded.start_ns, loaded.end_ns) == frequency[wanted], wanted


def test_a_line_comes_back_as_it_was_sent(loaded: Loaded) -> None:
    longest = max(loaded.lines, key=lambda line: len(line.text))
    (log,) = loaded.api.pages(f"service:{longest.service} line:{longest.number}", loaded.start_ns, loaded.end_ns)

    assert log["body"] == longest.text
    assert log["attributes"]["line"] == longest.number
    assert log["attributes"]["odd"] is (longest.number % 2 == 1)
    assert log["resource"]["service.name"] == longest.service
    assert log["scope"] == {"name": "loghub", "version": "1.0"}
    assert loaded.api.record(log["id"]) == log


def test_fields_are_counted_as_a_scan_counts_them(loaded: Loaded) -> None:
    counts = field_counts(loaded)
    assert counts["service"] == counts["line"] == len(loaded.lines)
    scans = {
        "service": Counter(line.service for line in loaded.lines),
        "odd": Counter("true" if line.number % 2 else "false" for line in loaded.lines),
        "severity": Counter(line.severity.name for line in loaded.lines if line.severity is not None),
    }
    for name, expected in scans.items():
        values = loaded.api.ok(f"/logs/fields/{name}/values", start=loaded.start_ns, end=loaded.end_ns, limit=100)
        assert values["complete"], name
        assert {value["value"]: value["records"] for value in values["values"]} == expected, name
