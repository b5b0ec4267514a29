"""Tests of patterns over REST: templates, counts, samples, queries that find their records, new patterns, refusals."""

import time

from tests import otlp
from tests.api_client import Api
from tests.running_stack import Stack
from tests.tenants import new_tenant

DAY_NS = 86_400 * 10**9
START_NS = time.time_ns() - 3600 * 10**9
"""Start of the records, in nanoseconds since the Unix epoch."""
USERS = 30
"""Number of log-ins, one in each second. The same number of seconds follows, and every third of them has a message
about a full disk."""


def test_patterns_have_counts_queries_and_marks(stack: Stack) -> None:
    keys = new_tenant(stack, "patterns")
    logins = [otlp.record(f"user {number} logged in", START_NS + number * 10**9) for number in range(USERS)]
    full = [otlp.record("disk is full", START_NS + (USERS + number) * 10**9) for number in range(0, USERS, 3)]
    before = otlp.record("user 99 logged in", START_NS - DAY_NS + 10**9)
    assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*logins, *full, before)).status_code == 200
    window = {"start": START_NS, "end": START_NS + 2 * USERS * 10**9}
    total = len(logins) + len(full)
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(total + 1, START_NS - DAY_NS, window["end"])
        answer = api.ok("/logs/patterns", query="", **window)
        assert api.post("/logs/patterns", {"query": "", **window}).json() == answer
        assert (answer["sampled"], answer["matching"], answer["is_estimate"]) == (total, total, False)
        assert (answer["sampled_before"], answer["found"]) == (1, 2)
        assert [(each["template"], each["records"], each["new"]) for each in answer["patterns"]] == [
            ("user <*> logged in", len(logins), False),
            ("disk is full", len(full), True),
        ]
        for each in answer["patterns"]:
            assert each["share"] == each["records"] / total
            assert sum(each["counts"]) == each["records"]
            counted = api.ok("/logs/patterns", query=each["query"], **window)
            assert counted["sampled"] == each["records"]
            assert api.ok("/logs/patterns", query=each["exclude"], **window)["sampled"] == total - each["records"]
            assert api.ok(f"/logs/{each['example']}")["timestamp"] == each["last_seen"]
        first = api.ok("/logs/patterns", query="", limit=1, **window)
        assert (first["found"], first["patterns"]) == (2, answer["patterns"][:1])
        nothing = api.ok("/logs/patterns", query="absent", **window)
        assert (nothing["sampled"], nothing["patterns"]) == (0, [])
        assert api.get("/logs/patterns", query="(", **window).status_code == 400
        assert api.get("/logs/patterns", query="", limit=0).status_code == 400


def test_a_sample_is_spread_over_the_time_of_the_records(stack: Stack) -> None:
    keys = new_tenant(stack, "pattern-sample")
    half, pause_ns, batch = 8_000, 10**8, 4_000
    for name, first in (("older", 0), ("newer", half)):
        for start in range(first, first + half, batch):
            records = [
                otlp.record(f"{name} part {number}", START_NS + number * pause_ns)
                for number in range(start, start + batch)
            ]
            assert otlp.send(stack.otlp_http_url, keys.ingest, otlp.request(*records)).status_code == 200
    window = {"start": START_NS, "end": START_NS + 2 * half * pause_ns}
    with Api(stack.api_url, keys.query) as api:
        api.wait_for_count(2 * half, window["start"], window["end"])
        answer = api.ok("/logs/patterns", query="", **window)
        assert api.ok("/logs/patterns", query="", **window) == answer
    assert (answer["matching"], answer["is_estimate"]) == (2 * half, True)
    assert 9_900 <= answer["sampled"] <= 10_000
    shares = {each["template"]: each["share"] for each in answer["patterns"]}
    assert shares.keys() == {"older part <*>", "newer part <*>"}
    assert all(abs(share - 0.5) < 0.01 for share in shares.values())
    assert all(sum(map(bool, each["counts"])) in (10, 11) for each in answer["patterns"])
