"""Tests, with a real log table, that the index on words is built for parts that were inserted without it."""

import time

import pytest

from ingest.loader.insert import Inserter
from ingest.word_index.late_index import LateIndex
from ingest.word_index.late_parts import Ages, LateParts
from ingest.word_index.parts import running_builds
from kit.clickhouse import connect
from schema.coordinates import Coordinates
from schema.envelope import Envelope
from schema.otlp import LogMessage
from tests.eventually import eventually
from tests.ingest.pipeline import Pipeline
from tests.ingest.requests import request_of

pytestmark = pytest.mark.lanes(1)

ROWS = 50
INSERTS = 4
TENANT = 1
ABSENT = "SELECT body FROM logs_0 WHERE hasToken(lower(body), 'absentword')"


def insert(inserter: Inserter, number: int) -> None:
    now = time.time_ns()
    raw = request_of(*[now] * ROWS).SerializeToString()
    message = LogMessage.read(raw, Envelope(TENANT, 0, "r30", 4096, now), Coordinates(1, 0, number))
    inserter.insert(0, 0, [message], f"token {number}", lambda: None)


def parts_read(pipeline: Pipeline) -> int:
    """Returns the number of parts that a search for an absent word reads. It uses the index on words, so these are the
    parts without it."""
    with connect(pipeline.settings) as client:
        plan = client.query(f"EXPLAIN indexes = 1 {ABSENT} SETTINGS use_query_condition_cache = 0").result_rows
    lines = [str(line).strip() for (line,) in plan]
    after = lines[lines.index("Name: body_words") :]
    return int(next(line for line in after if line.startswith("Parts: ")).split()[1].split("/")[0])


def late_index(pipeline: Pipeline) -> LateIndex:
    """Returns a loop that soon counts no insert as one that ClickHouse may still complete."""
    settings = pipeline.settings.model_copy(update={"insert_max_seconds": 1.0})
    return LateIndex(settings, min_rows=ROWS, idle_seconds=0)


def run_until_built(late: LateIndex, pipeline: Pipeline) -> None:
    """Repeats runs, because a run only starts builds, until none is pending."""

    def is_built() -> bool:
        late.run_once()
        return parts_read(pipeline) == 0 and not late._pending

    eventually(is_built, "all parts have the index")


def test_parts_without_the_index_get_it_once_no_more_arrive(pipeline: Pipeline) -> None:
    with connect(pipeline.settings) as client:
        client.command("SYSTEM STOP MERGES logs_0")
        late = late_index(pipeline)
        late.run_once()
        inserter = Inserter(pipeline.settings, late)
        for number in range(INSERTS):
            insert(inserter, number)
        inserter.close()
        assert parts_read(pipeline) == INSERTS - 1, "all but the first insert leave the index out"

        client.command("SYSTEM START MERGES logs_0")
        assert LateParts().find(client, "logs_0", ROWS, Ages(3600, 0)) == ([], True)
        assert LateParts().find(client, "logs_0", ROWS, Ages(0, 3600)) == ([], False), "inserts built the index lately"
        run_until_built(late, pipeline)
        assert LateParts().find(client, "logs_0", ROWS, Ages(0, 0)) == ([], False)
        assert client.command(f"SELECT count() FROM logs_0 WHERE tenant_id = {TENANT}") == INSERTS * ROWS


def test_parts_that_another_mutation_has_changed_get_the_index(pipeline: Pipeline) -> None:
    """Tests a mutation that finds nothing in these parts. It gives them another version, as a build of minute counts
    does."""
    late = late_index(pipeline)
    late.run_once()
    inserter = Inserter(pipeline.settings, late)
    with connect(pipeline.settings) as client:
        client.command("SYSTEM STOP MERGES logs_0")
        for number in range(INSERTS):
            insert(inserter, number)
        inserter.close()
        client.command("SYSTEM START MERGES logs_0")
        client.command("ALTER TABLE logs_0 DELETE WHERE tenant_id = 999", settings={"mutations_sync": 2})
        assert parts_read(pipeline) == INSERTS - 1
        # The mutation gave the parts a new time.
        assert len(LateParts().find(client, "logs_0", ROWS, Ages(0, 3600)).idle) == 1
        run_until_built(late, pipeline)
        assert late._parts[0, "logs_0"].find(client, "logs_0", ROWS, Ages(0, 0)) == ([], False)


def test_a_loader_that_starts_builds_what_another_left(pipeline: Pipeline) -> None:
    killed = late_index(pipeline)
    killed.run_once()
    inserter = Inserter(pipeline.settings, killed)
    for number in range(2):
        insert(inserter, number)
    inserter.close()
    assert parts_read(pipeline) == 1
    run_until_built(late_index(pipeline), pipeline)


def test_a_build_that_fails_again_and_again_is_ended(pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mutation that fails stands before the build in ClickHouse's order, so that the build fails too."""
    monkeypatch.setattr("ingest.failing_mutations.SPACING_SECONDS", 0)
    late = late_index(pipeline)
    late.run_once()
    inserter = Inserter(pipeline.settings, late)
    with connect(pipeline.settings) as client:
        client.command("SYSTEM STOP MERGES logs_0")
        for number in range(2):
            insert(inserter, number)
        inserter.close()
        client.command("ALTER TABLE logs_0 DELETE WHERE throwIf(id > 0, 'no')", settings={"mutations_sync": 0})
        late.run_once()
        assert len(running_builds(client, "logs_0")) == 1
        client.command("SYSTEM START MERGES logs_0")

        def is_ended() -> bool:
            late.run_once()
            return running_builds(client, "logs_0") == []

        eventually(is_ended, "the failing build is ended")
        late.run_once()
        assert running_builds(client, "logs_0") == [], "the next build begins later"
        assert set(late._pending) == {(0, "logs_0")}
