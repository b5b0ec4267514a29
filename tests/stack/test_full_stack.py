"""Tests of a stack after `up`: services are ready, a file has the demo keys, and commands can search the logs."""

import json
import os
import secrets
from pathlib import Path

import httpx2
import pytest

from backend.language.limits import MAX_CHARACTERS
from kit.tls import trusted
from stack.clickhouse.merge_priority import ADDED_NICENESS, MERGE_THREADS
from tests.eventually import eventually
from tests.running_stack import Stack


def test_every_service_is_ready(stack: Stack) -> None:
    ready = {
        "clickhouse": "ready",
        "kafka": "ready",
        "migrate": "done",
        "tenants": "done",
        "receiver": "ready",
        "loader": "ready",
        "api": "ready",
        "alerts": "ready",
    }

    def is_ready() -> bool:
        """Returns true if all services are ready. On a busy machine, a late health check makes one unhealthy."""
        status = stack.logsieve("status", "--json")
        states = {service["name"]: service["state"] for service in json.loads(status.stdout)["services"]}
        return (status.returncode, states) == (0, ready)

    eventually(is_ready, "every service is ready")


def test_threads_that_merge_have_a_lower_priority_than_those_that_search(stack: Stack) -> None:
    services = json.loads(stack.logsieve("status", "--json").stdout)["services"]
    threads = Path("/proc", str(next(each["pid"] for each in services if each["name"] == "clickhouse")), "task")
    merging = [int(each.name) for each in threads.iterdir() if (each / "comm").read_text() == "MergeMutate\n"]
    others = os.getpriority(os.PRIO_PROCESS, int(threads.parent.name))

    def have_it() -> bool:
        return {os.getpriority(os.PRIO_PROCESS, each) for each in merging} == {min(others + ADDED_NICENESS, 19)}

    assert len(merging) == MERGE_THREADS
    eventually(have_it, "all threads that merge have their niceness")


def test_keys_file_has_the_demo_keys_and_is_private(stack: Stack) -> None:
    file = stack.home / "keys.json"
    assert file.stat().st_mode & 0o777 == 0o600
    keys = json.loads(file.read_text())
    assert set(keys) == {"tenant", "ingest_key", "query_key"}
    answer = httpx2.get(
        f"{stack.api_url}/logs/search",
        params={"query": "", "start": "2026-01-01T00:00:00Z", "end": "2026-01-02T00:00:00Z"},
        headers={"Authorization": f"Bearer {keys['query_key']}"},
        timeout=30,
        verify=trusted(),
    )
    assert answer.status_code == 200, answer.text


def test_schema_of_a_fresh_stack_shows_no_drift(stack: Stack) -> None:
    done = stack.logsieve("migrate", "--check")
    assert done.returncode == 0, done.stdout


def test_tenants_and_keys_are_made_and_revoked(stack: Stack) -> None:
    tenant = f"cli-made-{secrets.token_hex(4)}"
    assert stack.logsieve("tenant", "create", tenant).returncode == 0
    assert stack.logsieve("tenant", "create", tenant).returncode == 1
    made = json.loads(stack.logsieve("key", "create", tenant, "query", "--json").stdout)
    assert stack.logsieve("key", "revoke", made["id"]).returncode == 0
    keys = json.loads(stack.logsieve("key", "list", "--tenant", tenant, "--json").stdout)
    assert [(key["id"], key["revoked_at_ns"] is None) for key in keys] == [(made["id"], False)]
    assert made["key"] not in json.dumps(keys)


def test_refused_query_shows_where(stack: Stack) -> None:
    done = stack.logsieve("logs", "search", "a OR OR b")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    query = lines.index("a OR OR b")
    assert lines[query + 1].strip() == "^"


def test_fields_and_values_are_listed_or_the_query_refused(stack: Stack) -> None:
    listed = stack.logsieve("logs", "fields", "--json")
    assert listed.returncode == 0, listed.stderr
    names = [json.loads(line)["name"] for line in listed.stdout.splitlines()]
    assert len(names) == len(set(names))
    found = stack.logsieve("logs", "values", "odd/name ä", "--prefix", "a", "--json")
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
    refused = stack.logsieve("logs", "values", "severity", "a OR OR b")
    assert refused.returncode == 1
    assert "a OR OR b" in refused.stderr


@pytest.mark.parametrize(
    "command", [("search",), ("export",), ("fields",), ("values", "severity")], ids=lambda command: command[0]
)
def test_a_query_of_any_allowed_length_is_answered(stack: Stack, command: tuple[str, ...]) -> None:
    # In a URL the query would be percent-encoded to 96 KiB, but the head of a request has at most 64 KiB.
    done = stack.logsieve("logs", *command, "\U00020000" * MAX_CHARACTERS)
    assert done.returncode == 0, done.stderr


def test_wrong_usage_exits_with_two(stack: Stack) -> None:
    assert stack.logsieve("logs", "search", "--since", "yesterday").returncode == 2
    assert stack.logsieve("nonsense").returncode == 2
    assert stack.logsieve("logs", "search", "--limit", "0").returncode == 2
