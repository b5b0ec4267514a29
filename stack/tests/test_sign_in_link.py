from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from kit.clock import ManualClock
from kit.settings import Settings
from schema.demo_keys import DemoKeys, demo_keys_file
from stack.cli.summary import sign_in_url
from stack.first_samples import samples_marker

NEWEST_NS = 1_790_000_000_000_000_000
OLDEST_NS = NEWEST_NS - 6 * 3600 * 10**9


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    settings = Settings(home=tmp_path)
    keys = DemoKeys(tenant="demo", ingest_key="i", query_key="q")
    demo_keys_file(settings).write_text(keys.model_dump_json())
    return settings


def link_range(settings: Settings, minutes: int) -> dict[str, list[str]]:
    """Returns the time range of a link that is made some minutes after the newest sample."""
    url = sign_in_url(settings, ManualClock(NEWEST_NS + minutes * 60 * 10**9))
    assert url is not None
    assert urlsplit(url).fragment.startswith("sign-in=")
    return parse_qs(urlsplit(url).query)


def test_a_link_opens_a_range_that_contains_the_samples(settings: Settings) -> None:
    samples_marker(settings).write_text(f"5000 records from {OLDEST_NS} to {NEWEST_NS}\n")
    assert link_range(settings, 10) == {}
    for minutes in (31, 90, 30 * 24 * 60):
        assert link_range(settings, minutes) == {"from": ["2026-09-21T08:13:20Z"], "to": ["now"]}


def test_a_link_of_a_stack_without_samples_names_no_range(settings: Settings) -> None:
    assert link_range(settings, 90) == {}
