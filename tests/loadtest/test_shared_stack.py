"""Tests the smoke runs of studies that need no stack of their own."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit.clickhouse import connect
from kit.errors import InvalidRequest, NotFound
from loadtest.contention.study import LOCKS, ContentionReport
from loadtest.contention.study import STUDY as CONTENTION
from loadtest.corpus.rows import DAY_NS, SHARED_COHORT, Corpus, batch
from loadtest.explorer.browser import HEADLESS_SHELL
from loadtest.explorer.study import STUDY as EXPLORER
from loadtest.explorer.study import ExplorerReport
from loadtest.peers.study import STUDY as PEERS
from loadtest.peers.study import PeersReport
from loadtest.send.study import STUDY as SEND
from loadtest.send.study import SendReport
from loadtest.soak.study import STUDY as SOAK
from loadtest.soak.study import SoakReport
from loadtest.tail.study import STUDY as TAIL
from loadtest.tail.study import TailReport
from loadtest.tune import tenant_records
from loadtest.tune.candidates import SMOKE
from loadtest.tune.store import TuneStore
from loadtest.tune.study import DATABASE, TuneReport
from loadtest.tune.study import STUDY as TUNE
from schema.clickhouse.tables import table_name
from tests.chance import SEED, repetitions
from tests.loadtest.shared_bench import SharedBench, write_page
from tests.running_stack import Stack

STORED = 1_500


def test_the_sender_loses_nothing(stack: Stack, tmp_path: Path) -> None:
    report = SEND.run(SharedBench(stack), profile="smoke")

    assert isinstance(report, SendReport)
    assert report.passed, report.headline()
    assert report.stored == report.acknowledged == 1_000
    command = "logsieve loadtest send --profile smoke"
    assert f"`{command}`" in write_page(SEND, report, command, tmp_path)


def test_a_soak_finds_no_wrong_record(stack: Stack, tmp_path: Path) -> None:
    report = SOAK.run(SharedBench(stack), smoke=True)

    assert isinstance(report, SoakReport)
    assert report.acknowledged == 1_200
    assert (report.wrong, report.uncertain, report.failed_searches) == (0, 0, 0)
    assert report.tailed > 0
    assert (report.tailed_wrong, report.tail_events) == (0, {})
    assert {each.service for each in report.memory} == {"receiver", "kafka", "loader", "clickhouse", "api"}
    command = "logsieve loadtest soak --smoke"
    assert f"`{command}`" in write_page(SOAK, report, command, tmp_path)
    assert all((tmp_path / picture.name).read_text().startswith("<?xml") for picture in report.pictures())


def test_without_peers_logsieve_answers_what_was_sent(stack: Stack, tmp_path: Path) -> None:
    report = PEERS.run(SharedBench(stack), smoke=True)

    assert isinstance(report, PeersReport)
    assert report.passed
    assert report.absent == ("VictoriaLogs", "Loki", "Collector + exporter")
    [side] = report.sides
    assert (side.stored, side.lost, side.doubled) == (1_000, 0, 0)
    assert {"receiver", "kafka", "loader", "clickhouse", "api"} == side.cpu_seconds.keys() == side.peak_bytes.keys()
    assert report.disagreements == ()
    assert all(timing.median_ms > 0 for timing in report.timings)
    command = "logsieve loadtest peers --smoke"
    assert f"`{command}`" in write_page(PEERS, report, command, tmp_path)
    assert (tmp_path / "peers-1000-tokenbf.svg").read_text().startswith("<?xml")


def test_the_explorer_study_times_each_query_and_its_answer(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "LOGSIEVE_CHROMIUM" not in os.environ and (shell := shutil.which(HEADLESS_SHELL)) is not None:
        monkeypatch.setenv("LOGSIEVE_CHROMIUM", shell)

    report = EXPLORER.run(SharedBench(stack), records=1_000, runs=1, rows=500)

    assert isinstance(report, ExplorerReport)
    assert [each.words for each in report.painted] == ["frequent", "rare", "scarce"]
    assert all(each.p50_ms > 0 and each.search_ms > 0 for each in report.painted)
    assert all(each.rows > 0 and each.frames > 0 for each in (report.scrolled, report.plain))
    assert report.first_load_kb > 0
    assert report.interactive_ms > 0
    command = "logsieve loadtest explorer --records 1000 --runs 1 --rows 500"
    assert "`zfrequent`" in write_page(EXPLORER, report, command, tmp_path)
    assert (tmp_path / "results" / "explorer.json").exists()


def test_the_contention_study_profiles_both_phases(stack: Stack, tmp_path: Path) -> None:
    report = CONTENTION.run(SharedBench(stack), smoke=True)

    assert isinstance(report, ContentionReport)
    assert report.parts >= 200
    assert [phase.inserts_at_once for phase in report.phases] == [0, 2]
    for phase in report.phases:
        assert phase.searches > 0
        assert (phase.inserts > 0) == (phase.inserts_at_once > 0)
        assert sum(phase.real.values()) >= sum(phase.cpu.values())
        assert phase.real
        assert phase.running_threads > 0
        assert all(moment.waiting.keys() == LOCKS.keys() for moment in phase.moments)
    assert report.phases[-1].moments
    command = "logsieve loadtest contention --smoke"
    assert f"`{command}`" in write_page(CONTENTION, report, command, tmp_path)
    assert (tmp_path / "contention.svg").read_text().startswith("<svg")
    assert (tmp_path / "contention-waits.svg").read_text().startswith("<?xml")
    with connect(stack.settings, "default") as client:
        assert client.command("EXISTS DATABASE contention") == 0


def test_tails_get_everything_once_and_clickhouse_gets_no_search_for_it(stack: Stack, tmp_path: Path) -> None:
    seconds = repetitions(50)

    report = TAIL.run(SharedBench(stack), tails=20, seconds=seconds, rate=200)

    assert isinstance(report, TailReport)
    assert (report.lost, report.doubled, report.foreign, report.backend_log_queries) == (0, 0, 0, 0)
    assert report.passed
    assert report.reconnects > 0
    assert report.expected > 1_000
    command = f"logsieve loadtest tail --tails 20 --seconds {seconds} --rate 200"
    assert "that 20 tails should get | 0 | 0 | met |" in write_page(TAIL, report, command, tmp_path)


@pytest.fixture
def tune_database(stack: Stack) -> Iterator[None]:
    """Drops the database of the tune study after the test."""
    yield
    with connect(stack.settings, "default") as client:
        client.command(f"DROP DATABASE IF EXISTS {DATABASE} SYNC")


@pytest.mark.usefixtures("tune_database")
def test_an_interrupted_tuner_goes_on_where_it_was_and_writes_its_page(stack: Stack, tmp_path: Path) -> None:
    def interrupt_at_the_second_candidate(line: str) -> None:
        if SMOKE[1].name in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TUNE.run(SharedBench(stack, say=interrupt_at_the_second_candidate), folder=tmp_path / "study", smoke=True)
    journal = tmp_path / "study" / "journal.jsonl"
    before = journal.read_text().splitlines()

    bench = SharedBench(stack)
    report = TUNE.run(bench, folder=tmp_path / "study", smoke=True)

    assert isinstance(report, TuneReport)
    assert report.passed
    names = [each.name for each in report.candidates]
    assert names[: len(SMOKE)] == [candidate.name for candidate in SMOKE]
    assert names[len(SMOKE) :], "at least one calculated filter is compared, too"
    assert all(each.granules > 0 and each.written > 0 and each.insert_cpu > 0 for each in report.candidates)
    steps = journal.read_text().splitlines()
    assert (len(before), len(steps)) == (2, 1 + len(names)), "the first line names the study"
    assert steps[: len(before)] == before
    [remove_journal] = bench.after_result
    remove_journal()
    assert not journal.exists()
    page = write_page(TUNE, report, "logsieve loadtest tune --smoke", tmp_path)
    assert all(candidate.name in page for candidate in SMOKE)
    assert (tmp_path / "tune.svg").read_text().startswith("<?xml")
    assert "[Which index over the words of the body](tune.md)" in (tmp_path / "README.md").read_text()


@pytest.mark.usefixtures("tune_database")
def test_the_tuner_copies_stored_logs_and_leaves_them_as_they_are(
    stack: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenant_records, "BATCH_ROWS", 300)
    bench = SharedBench(stack)
    with bench.stack() as own, connect(stack.settings) as client:
        sender = own.create_sender("tuned")
        table = table_name(sender.lane)
        yesterday_ns = bench.clock.now_ns() - DAY_NS
        rows = batch(Corpus(STORED, 1, SEED, yesterday_ns), 0)
        # Many records have equal times, also where a batch of the copy ends and where the copy ends.
        times = [yesterday_ns + number // 700 * 10**9 for number in range(STORED)]
        columns = {
            **rows,
            "tenant_id": [sender.tenant_id] * STORED,
            "cohort": [SHARED_COHORT] * STORED,
            "timestamp": times,
        }
        client.insert(table, list(columns.values()), column_names=list(columns), column_oriented=True)
        stored = f"SELECT count(), sum(cityHash64(id, body)) FROM {table} WHERE tenant_id = {sender.tenant_id}"
        before = client.query(stored).result_rows
        copies: list[list[int]] = []

        def look_at_the_copy(line: str) -> None:
            if line.startswith("round 1 of 1: none"):
                copied = TuneStore(client, f"from_{sender.tenant_id}", print).table(SMOKE[0].granules)
                of_copy = f"FROM {DATABASE}.{copied}"
                found = client.query(f"SELECT count(), uniqExact(id), min(id), max(id) {of_copy}").result_rows
                copies.append([int(value) for value in found[0]])

        report = TUNE.run(SharedBench(stack, say=look_at_the_copy), rows=1_000, tenant=sender.tenant, smoke=True)

        assert isinstance(report, TuneReport)
        assert copies == [[1_000, 1_000, STORED - 1_000, STORED - 1]], "the newest records, each once"
        assert (report.rows, report.tenant) == (1_000, sender.tenant)
        assert not any("small tenant" in case for case in report.candidates[0].by_case)
        assert client.query(stored).result_rows == before
        left = client.query(f"SELECT name FROM system.tables WHERE database = '{DATABASE}'").result_rows
        assert left == [], "the copy is deleted"
        page = write_page(TUNE, report, f"logsieve loadtest tune --from {sender.tenant} --smoke", tmp_path)
        assert f"tune-from-{sender.tenant}.svg" in page


@pytest.mark.usefixtures("tune_database")
def test_the_tuner_keeps_nothing_of_a_tenant_with_too_few_words(stack: Stack) -> None:
    bench = SharedBench(stack)
    with bench.stack() as own, connect(stack.settings) as client:
        sender = own.create_sender("terse")
        now_ns = bench.clock.now_ns()
        names = ("tenant_id", "cohort", "timestamp", "id", "body")
        client.insert(
            table_name(sender.lane),
            [(sender.tenant_id, SHARED_COHORT, now_ns + number, number, "") for number in range(50)],
            column_names=list(names),
        )

        with pytest.raises(InvalidRequest, match="of the words of 50 records, 0 are in"):
            TUNE.run(bench, tenant=sender.tenant, smoke=True)

        left = client.query(f"SELECT name FROM system.tables WHERE database = '{DATABASE}'").result_rows
        assert left == []


def test_the_tuner_names_a_tenant_without_logs(stack: Stack) -> None:
    bench = SharedBench(stack)
    with bench.stack() as own:
        sender = own.create_sender("silent")

    with pytest.raises(NotFound, match="has no stored records"):
        TUNE.run(bench, tenant=sender.tenant, smoke=True)
