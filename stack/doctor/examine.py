"""Runs all of the doctor's checks in order. An unreachable service is a finding, and the other checks still run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from clickhouse_connect.driver.exceptions import Error

from kit.clickhouse import connect, translate
from kit.clock import Clock
from kit.errors import LogsieveError
from kit.settings import Settings
from kit.topology import Place
from schema.drift import clickhouse_drift, find_drift
from stack.doctor.control import control_finding
from stack.doctor.descriptors import descriptor_findings
from stack.doctor.disks import broker_disk_findings, disk_findings
from stack.doctor.finding import Finding, Level
from stack.doctor.kafka import kafka_findings
from stack.doctor.lifecycle import clock_finding, erasure_finding, judge_schema, retention_findings
from stack.doctor.memory import memory_findings
from stack.doctor.parts import part_findings
from stack.doctor.patches import patch_findings
from stack.doctor.searched import searched_finding
from stack.doctor.storage import storage_finding
from stack.doctor.waits import wait_findings


def examine(settings: Settings, clock: Clock) -> list[Finding]:
    """Returns all findings. A service that does not answer is a finding, not an error."""
    return [
        *(finding for place in settings.topology.places for finding in _server(settings, clock, place)),
        *_whole_store(settings, clock),
        *(finding for replica in settings.each_replica for finding in kafka_findings(replica)),
        *_answers(
            {
                "disk of Kafka": lambda: broker_disk_findings(settings),
                "open files": lambda: descriptor_findings(settings),
            }
        ),
    ]


def _server(settings: Settings, clock: Clock, place: Place) -> Iterator[Finding]:
    """Checks each server by itself. Findings name the server where there are several."""
    name, url = settings.topology.name(place), settings.topology.url(place)
    where = f" of {name}" if name else ""
    try:
        client = connect(settings.of_replica(place.replica), shard=place.shard)
    except LogsieveError as error:
        until = "no other replica may fail" if settings.topology.replicas > 1 else "searches of its rows answer 503"
        advice = f"start the server, or correct the settings LOGSIEVE_CLICKHOUSE_…; until then {until}"
        seen = error.detail if url in error.detail else f"{url}: {error.detail}"
        yield Finding(f"clickhouse{where}", Level.fail, seen, advice)
        return
    with client:
        yield Finding(f"clickhouse{where}", Level.ok, f"{client.server_version} at {url}")
        questions: dict[str, Callable[[], list[Finding]]] = {
            "patches": lambda: patch_findings(client),
            "parts": lambda: part_findings(client),
            "disks": lambda: disk_findings(client, url),
            "memory of parts": lambda: memory_findings(client),
            "waits": lambda: wait_findings(client),
            "clocks": lambda: [clock_finding(client, clock)],
        }
        if settings.topology.replicas > 1:
            questions["searched"] = lambda: [searched_finding(client, place, settings.shards)]
        for finding in _answers(questions):
            yield replace(finding, about=f"{finding.about}{where}")


def _whole_store(settings: Settings, clock: Clock) -> Iterator[Finding]:
    """Checks the control plane, and all shards together. The retention of partitions is in the control plane."""
    control = control_finding(settings, clock)
    yield control
    if control.level is Level.fail:
        yield from _answers({"schema": lambda: [judge_schema(clickhouse_drift(settings))]})
        return
    yield from _answers(
        {
            "retention": lambda: [
                finding for replica in settings.each_replica for finding in retention_findings(replica, clock)
            ],
            "storage": lambda: [storage_finding(settings, clock)],
            "erasure": lambda: [erasure_finding(replica, clock) for replica in settings.each_replica],
            "schema": lambda: [judge_schema(find_drift(settings))],
        }
    )


def _answers(questions: Mapping[str, Callable[[], list[Finding]]]) -> Iterator[Finding]:
    for about, question in questions.items():
        try:
            yield from question()
        except Error as error:
            yield Finding(about, Level.fail, translate(error).detail, "ClickHouse's log has the reason")
        except LogsieveError as error:
            yield Finding(about, Level.fail, error.detail, "follow this text; a line above may name the cause")
