"""Tests that messages which cannot be loaded become dead letters, are listed, and can be replayed once.

If too many messages of a partition cannot be loaded, the loader stops instead.
"""

import json
import os
import subprocess
from typing import Any

from ingest.dead.listing import list_dead_letters
from schema.envelope import Envelope
from schema.kafka_message import Headers
from schema.tenant_partitions import partition_of, tenant_key
from tests.forked_module import run_module
from tests.ingest.pipeline import Pipeline

OURS = Envelope(1, 0, "r30", 4096, 1_700_000_000_000_000_000)
KEY = tenant_key(4, 0)
"""Key of messages, for which librdkafka's default partitioner chooses another partition than Logsieve."""

HEADERS: Headers = [
    ("logsieve-dead", b"no"),
    ("empty", None),
    ("twice", b"\xff"),
    ("twice", b""),
]


def dead(pipeline: Pipeline, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_module(("stack", "dead", *arguments), pipeline.environment | {"COLUMNS": "200"}, 60)


def listed(pipeline: Pipeline) -> list[dict[str, Any]]:
    done = dead(pipeline, "list", "--json")
    assert done.returncode == 0, done.stderr
    entries: list[dict[str, Any]] = json.loads(done.stdout)
    return entries


def test_a_dead_letter_is_kept_whole_and_put_back_once(pipeline: Pipeline) -> None:
    value = os.urandom(1000)
    pipeline.send(messages=4, partition=0)
    pipeline.send_raw(value, HEADERS, partition=0, key=KEY)
    pipeline.send_raw(b"\xff\xff", OURS.headers(), partition=1)
    pipeline.send(messages=4, partition=0)
    pipeline.start_loader()
    pipeline.check_exactly_once()
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) == 2, "both are set aside")
    by_place = {(each["origin"]["partition"], each["origin"]["offset"]): each for each in listed(pipeline)}
    assert by_place.keys() == {(0, 4), (1, 0)}
    assert (by_place[0, 4]["code"], by_place[1, 0]["code"]) == ("envelope", "not_otlp")

    shown = json.loads(dead(pipeline, "show", "0:4", "--hex").stdout)
    assert bytes.fromhex(shown["value"]) == value
    assert shown["headers"]["logsieve-dead"] == "no"
    shown = json.loads(dead(pipeline, "show", "1:0").stdout)
    assert (shown["envelope"]["tenant_id"], shown["request"]) == (1, None)

    assert "0:4 is replayed" in dead(pipeline, "replay", "0:4").stdout
    # The replayed message still cannot be loaded, so it becomes a dead letter again, from its new place.
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) == 3, "the message is tried again")
    places = {(each["origin"]["partition"], each["origin"]["offset"]) for each in listed(pipeline)}
    [(partition, offset)] = places - by_place.keys()
    assert partition == partition_of(KEY, pipeline.settings.kafka_partitions)
    place = f"{partition}:{offset}"
    repeated = json.loads(dead(pipeline, "show", place, "--hex").stdout)
    first = json.loads(dead(pipeline, "show", "0:4", "--hex").stdout)
    assert (repeated["value"], repeated["headers"]) == (first["value"], first["headers"])
    second = dead(pipeline, "replay", "0:4")
    assert (second.returncode, second.stdout) == (0, "")
    assert "was replayed before" in second.stderr


def test_a_dead_letter_without_a_value_is_not_put_back(pipeline: Pipeline) -> None:
    pipeline.send_raw(None, HEADERS, partition=0)
    pipeline.send_raw(b"", HEADERS, partition=0)
    pipeline.flush()
    pipeline.start_loader()
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) == 2, "both are set aside")
    done = dead(pipeline, "replay", "0:0", "0:1")
    assert (done.returncode, done.stdout) == (0, "0:1 is replayed\n")
    assert "0:0 is not replayed, because its message has no value" in done.stderr
    put_back = [each["origin"] for each in listed(pipeline) if each["replayed_at_ms"] is not None]
    assert [(each["partition"], each["offset"]) for each in put_back] == [(0, 1)]


def test_what_does_not_exist_is_refused(pipeline: Pipeline) -> None:
    done = dead(pipeline, "replay", "0:99")
    assert (done.returncode, "there is no dead letter 0:99" in done.stderr) == (1, True)
    assert dead(pipeline, "show", "0:99").returncode == 1
    assert dead(pipeline, "replay").returncode == 2
    assert dead(pipeline, "show", "first").returncode == 2
    assert listed(pipeline) == []
    assert "no dead letter is waiting to be replayed" in dead(pipeline, "replay", "--all").stdout


def test_too_many_stop_the_loader_and_nothing_is_committed(pipeline: Pipeline) -> None:
    for _ in range(60):
        pipeline.send_raw(b"\xff", OURS.headers(), partition=2)
    pipeline.flush()
    for number in range(2):
        loader = pipeline.start_loader()
        assert loader.wait(60) == 1
        said = pipeline.log_file(number).read_text()
        assert "21 of the last 21 messages cannot be loaded" in said
        assert "2:20: not an OTLP export request" in said
    assert listed(pipeline) == []
    assert pipeline.committed(2) <= 0
    # With this setting, an operator permits that all of them become dead letters.
    pipeline.start_loader(LOGSIEVE_LOADER_DEAD_RATIO="1")
    pipeline.wait(lambda: len(list_dead_letters(pipeline.settings)) == 60, "all are set aside")
    assert len(listed(pipeline)) == 60
