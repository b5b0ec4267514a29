"""Tests that an interrupted first start sends no sample twice at its next start."""

from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from kit.clock import DAY_NS
from kit.settings import Settings
from kit.tests.otlp_collector import Collector, collecting
from schema.demo_keys import DemoKeys, demo_keys_file
from stack.files import write_atomically
from stack.first_samples import samples_marker, samples_times, send_first_samples
from stack.samples.send import COUNT
from stack.samples.story import generate

NOW_NS = 1_790_000_000_000_000_000
HOUR_NS = 3600 * 10**9


class HourlyClock:
    """A clock on which an hour passes from one start to the next."""

    def __init__(self) -> None:
        self._starts = count()

    def now_ns(self) -> int:
        return NOW_NS + next(self._starts) * HOUR_NS


def settings_for(collector: Collector, home: Path) -> Settings:
    settings = Settings(home=home, otlp_http_port=collector.server_port)
    keys = DemoKeys(tenant="demo", ingest_key="i", query_key="q")
    demo_keys_file(settings).write_text(keys.model_dump_json())
    return settings


@pytest.mark.parametrize("written_before", [1, 4, 11])
def test_an_interrupted_start_continues_where_it_was(
    written_before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first file is written before the first request, and the 11th has all records but not yet the marker."""
    written = 0

    def interrupted(path: Path, text: str) -> None:
        nonlocal written
        if written == written_before:
            raise KeyboardInterrupt
        written += 1
        write_atomically(path, text)

    clock = HourlyClock()
    monkeypatch.setattr("stack.first_samples.SystemClock", lambda: clock)
    with collecting() as collector:
        settings = settings_for(collector, tmp_path)
        monkeypatch.setattr("stack.first_samples.write_atomically", interrupted)
        with pytest.raises(KeyboardInterrupt):
            send_first_samples(settings)
        assert not samples_marker(settings).exists()
        unnoted = collector.records[(written_before - 1) * 500 :]

        monkeypatch.setattr("stack.first_samples.write_atomically", write_atomically)
        send_first_samples(settings)
        send_first_samples(settings)

    story = list(generate(1, NOW_NS, COUNT))
    sent = Counter(record.time_unix_nano for record in collector.records)
    sent.subtract(record.time_unix_nano for record in unnoted)
    assert sent == Counter(record.timestamp_ns for record in story)
    assert samples_times(settings) == (story[0].timestamp_ns, story[-1].timestamp_ns)
    assert [file.name for file in tmp_path.glob("samples*")] == ["samples-sent"]


def test_samples_that_were_begun_days_ago_are_made_anew(tmp_path: Path) -> None:
    (tmp_path / "samples-begun").write_text('{"now_ns": 1600000000000000000, "acknowledged": 500}')

    with collecting() as collector:
        send_first_samples(settings_for(collector, tmp_path))

    assert len(collector.records) == COUNT
    assert min(record.time_unix_nano for record in collector.records) > NOW_NS - DAY_NS
