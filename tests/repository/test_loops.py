"""Tests that background loops use kit.repeating, which survives errors, and that other threads and tasks are listed."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kit.folders import PACKAGES

LAYERS: Final = ("kit", "schema", "ingest", "backend", "stack")
STARTING: Final = frozenset({"Thread", "Timer", "create_task", "ensure_future", "run_coroutine_threadsafe"})

ALLOWED: Final = {
    "kit/repeating.py": "the loop classes themselves",
    "kit/telemetry.py": "sends what is left, once, when the process ends",
    "kit/ops.py": "runs uvicorn, whose loop is its own",
    "kit/server/accepting_server.py": "hands one connection over to the protocol, after its TLS handshake",
    "ingest/loader/partition.py": "delivers one batch; its outcome is taken by the loader's loop",
    "ingest/loader/side_by_side.py": "loads the lanes of one batch; their outcomes are taken by the batch's thread",
    "ingest/receiver/delivery.py": "sends one message; its error is raised to who waits",
    "ingest/receiver/listen.py": "runs uvicorn; its end stops the worker",
    "kit/workers.py": "waits for the end of a process, once",
    "backend/alerts/claimed_work.py": "evaluates one rule or sends one notice; its error is raised to the loop",
    "backend/worker.py": "waits for the end of the parent process, once",
    "backend/abandoned.py": "answers one request",
    "backend/app.py": "waits for the end of the process, once",
    "backend/store/connections.py": "connects to one server, once; its error is raised to who waits",
    "backend/store/together.py": "reads for one request; after an error the other reads stop",
    "backend/store/plans/refreshed.py": "reads one value behind a search; after an error a later search reads it again",
    "backend/store/replicas/hedge.py": "runs one statement on two replicas; the first answer or error is the caller's",
    "backend/tail/paced.py": "waits for the next piece of one answer",
    "schema/control/migration_watch.py": "watches one migration, and ends with it",
    "stack/supervisor.py": "keeps the services: an error there stops the stack, and is raised",
    "stack/clickhouse/serve.py": "runs the engine: its end is the end of the process",
    "stack/clickhouse/merge_priority.py": "looks for the engine's threads until they exist, and ends",
    "stack/install/__main__.py": "shows the progress of an installation",
    "stack/install/class_archive.py": "ends a broker that does not start, once",
}
"""Files that may start threads or tasks, each with the reason.

Such a thread or task is not a loop, or its error ends a larger unit that is watched.
"""


def starts(path: Path) -> Iterator[str]:
    """Yields the names of calls and base classes in a file that start threads or tasks."""
    text = path.read_text()
    if not any(name in text for name in STARTING):
        return
    for node in ast.walk(ast.parse(text)):
        called = [node.func] if isinstance(node, ast.Call) else node.bases if isinstance(node, ast.ClassDef) else []
        for each in called:
            name = each.attr if isinstance(each, ast.Attribute) else each.id if isinstance(each, ast.Name) else ""
            if name in STARTING:
                yield name


def test_only_listed_files_start_threads_and_tasks_by_themselves() -> None:
    starting = {
        str(path.relative_to(PACKAGES))
        for package in LAYERS
        for path in (PACKAGES / package).rglob("*.py")
        if "tests" not in path.parts and any(starts(path))
    }

    assert starting == set(ALLOWED), "make loops of kit.repeating; list what is no loop, with the reason"


def test_a_thread_a_subclass_and_a_task_are_found(tmp_path: Path) -> None:
    file = tmp_path / "loops.py"
    file.write_text("import threading\nclass A(threading.Thread): ...\nThread()\nasyncio.create_task(a())\n")

    assert sorted(starts(file)) == ["Thread", "Thread", "create_task"]
