from loadtest.corpus.rows import Corpus
from loadtest.machine import Machine
from loadtest.search.cases import CASES
from loadtest.search.measure import SIDES
from loadtest.search.page import Outcome, page
from loadtest.search.report import standing
from schema.clickhouse.index_profiles import Profile


def test_the_page_says_what_was_met_and_what_was_missed() -> None:
    timings = {
        (case, side): [4_000.0] if side.profile is None else [250.0 if side.profile is Profile.text else 125.0]
        for case in CASES
        for side in SIDES
    }
    corpus = Corpus(rows=20_000, size="4k", tenants=1, seed=1, start_ns=10**18)
    standings = [standing(timings, profile) for profile in Profile]
    machine = Machine(2, 8 * 2**30, "Linux", "3.13", "26.5.1")
    written = page(Outcome("logsieve loadtest search", corpus, 1, timings, standings, machine))
    assert "| tokenbf | 32.0 (20) | 125 (300) | 1.00 (1.3) | met |" in written
    assert "| text | 16.0 (50) | 250 (100) | 1.00 (1.3) | missed |" in written
    for case in CASES:
        assert f"`{case.query}`" in written
