"""Tests that the report compares each value with its goal, with and without peers."""

from loadtest.peers.answers import OURS, VICTORIA_LOGS, Disagreement, Timing
from loadtest.peers.questions import Kind
from loadtest.peers.study import IndexBuild, PeersReport, Searched, SideResult


def side(name: str, cpu_seconds: float, lost: int = 0, doubled: int = 0) -> SideResult:
    return SideResult(
        name=name,
        version="1",
        cpu_seconds={name: cpu_seconds},
        peak_bytes={name: 2**20},
        sending_seconds=1,
        searchable_seconds=2,
        sent_again=0,
        stored=1_000,
        lost=lost,
        doubled=doubled,
        disk_bytes=2**20,
        queue_bytes=0,
        load_average=0.5,
    )


def report(*sides: SideResult, disagreements: tuple[Disagreement, ...] = ()) -> PeersReport:
    kinds = {"absent word": Kind.page, "count of all": Kind.count, "errors by service": Kind.group}
    return PeersReport(
        records=1_000,
        record_bytes=4_096,
        rounds=7,
        index_profile="tokenbf",
        sides=sides,
        timings=tuple(
            Timing(question=question, kind=kind, side=each.name, median_ms=5, least_ms=4, most_ms=6, after_pause_ms=7)
            for question, kind in kinds.items()
            for each in sides
        ),
        disagreements=disagreements,
    )


def missed(found: PeersReport) -> list[str]:
    return [row.what.partition(": ")[2] for row in found.headline() if row.met is False]


def test_alone_it_is_held_to_the_goals_that_need_no_peer() -> None:
    alone = report(side(OURS, 0.1))

    assert alone.passed
    assert not any("VictoriaLogs" in row.what for row in alone.headline())


def test_a_peer_that_costs_less_is_a_missed_goal() -> None:
    both = report(side(OURS, 0.1), side(VICTORIA_LOGS, 0.05))

    assert "MB per CPU second over the best peer's" in missed(both)
    assert "pages, times as fast as VictoriaLogs" in missed(both)
    assert not both.passed


def test_lost_records_and_disagreements_are_missed_goals() -> None:
    wrong = report(side(OURS, 0.1, lost=1), disagreements=(Disagreement(question="a", answers={"one": "x"}),))

    assert missed(wrong) == ["records that Logsieve lost or doubled", "questions on which sides disagree"]
    assert any(table.title == "Questions on which sides disagree" for table in wrong.tables())


def test_over_a_million_records_errors_by_service_take_100_ms_at_most() -> None:
    few = report(side(OURS, 0.1))
    slow = tuple(each.model_copy(update={"median_ms": 101}) for each in few.timings if each.kind is Kind.group)
    many = few.model_copy(update={"records": 1_000_000, "timings": few.timings + slow})

    assert not any("errors by service" in row.what for row in few.headline())
    assert "errors by service" in missed(many)


def test_answers_with_the_index_on_searched_words_are_held_to_the_goals_on_their_own() -> None:
    before = report(side(OURS, 0.1), side(VICTORIA_LOGS, 0.05))
    build = IndexBuild(
        searches=50, search_cpu_seconds=90, build_cpu_seconds=80, build_peak_bytes=2**30, disk_bytes=2 * 2**20
    )
    fast = tuple(each.model_copy(update={"median_ms": 0.1}) if each.side == OURS else each for each in before.timings)
    after = before.model_copy(update={"searched": Searched(build=build, timings=fast)})

    assert after.variant == "1000-tokenbf-searched"
    rows = {row.what: row.met for row in after.headline() if "searched words indexed" in row.what}
    title = "1,000 records, tokenbf, searched words indexed"
    assert rows[f"{title}: pages, times as fast as VictoriaLogs"]
    assert rows[f"{title}: disk over VictoriaLogs's"] is False


def test_answers_after_a_pause_are_compared_in_rows_of_their_own() -> None:
    found = report(side(OURS, 0.1), side(VICTORIA_LOGS, 0.05))
    paused = tuple(
        each.model_copy(update={"after_pause_ms": 40.0 if each.side == OURS else 20.0}) for each in found.timings
    )
    ratios = found.model_copy(update={"timings": paused}).tables()[-1].rows

    assert ("pages", "1.00", "1.00") in ratios
    assert ("pages, after a pause", "1.00", "0.50") in ratios
