"""Distributes the black-box tests over the workers of `pytest -n`.

A unit of work is a file, or a folder whose files share a fixture. The front of the queue has the units that start
stacks of their own, the end has those that use the session's stack. The first worker takes units from the front, all
other workers from the end. The first worker therefore starts a session's stack only when the units at the front are
done. Long units are at both ends, so that the last remaining units, in the middle, are short.
"""

from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from tests.running_stack import stop_stack

FOLDERS: Final = ("tests/tls", "tests/shards", "tests/replicas", "tests/search", "tests/ui", "tests/repository")
"""Folders that are one unit, because their files share a fixture that takes long to start."""

OWN_STACKS: Final = (
    "tests/tls",
    "tests/shards",
    "tests/replicas",
    "tests/loadtest/test_alerts.py",
    "tests/faults/test_kills.py",
    "tests/loadtest/test_studies.py",
    "tests/search",
    "tests/stack/test_lifecycle.py",
    "tests/stack/test_kafka.py",
    "tests/stack/test_three_brokers.py",
    "tests/stack/test_full_disk.py",
    "tests/listeners/test_tls.py",
    "tests/listeners/test_http_limits.py",
    "tests/listeners/test_api_workers.py",
    "tests/listeners/test_grpc_limits.py",
    "tests/listeners/test_grpc_traffic.py",
    "tests/ingest/test_tiering.py",
    "tests/ingest/test_full_disk.py",
    "tests/ingest/test_full_hot_disk.py",
    "tests/ingest/test_unfinished_parts.py",
    "tests/repository",
    "tests/ingest/test_full_lanes.py",
    "tests/ingest/test_tiering_s3.py",
    "tests/listeners/test_descriptors.py",
)
"""Units that do not use the session's stack, the longest first."""

SESSION_STACK: Final = (
    "tests/stack/test_profile.py",
    "tests/loadtest/test_shared_stack.py",
    "tests/api/test_alerts.py",
    "tests/ingest/test_loaders.py",
    "tests/ingest/test_insert_limits.py",
    "tests/ingest/test_lost_messages.py",
    "tests/stack/test_migrations.py",
    "tests/faults/test_mistakes_are_found.py",
    "tests/ui",
    "tests/ingest/test_killed_loader.py",
    "tests/ingest/test_policy.py",
    "tests/ingest/test_lanes.py",
    "tests/ingest/test_searched_words.py",
    "tests/api/test_too_much.py",
    "tests/stack/test_doctor.py",
    "tests/ingest/test_dead_letters.py",
    "tests/stack/test_terminal.py",
    "tests/ingest/test_erasure.py",
    "tests/faults/test_killed_eraser.py",
    "tests/stack/test_full_stack.py",
    "tests/api/test_paging.py",
    "tests/api/test_export.py",
    "tests/loghub/test_search_loghub.py",
    "tests/faults/test_tails.py",
    "tests/ingest/test_native_block.py",
    "tests/ingest/test_limits.py",
    "tests/api/test_contract.py",
    "tests/api/test_under_load.py",
)
"""The longest units that use the session's stack, the longest first.

All units in neither list come between both lists. tests/stack/test_migrations.py and
tests/faults/test_mistakes_are_found.py rewrite the rows of the stack. They come before units that store many rows.
"""


def unit_of(test: str) -> str:
    """Returns the unit of a test, which is a file or a folder. `test` is the test's node id."""
    file = test.partition("::")[0]
    return next((folder for folder in FOLDERS if file.startswith(f"{folder}/")), file)


def place_of(test: str) -> int:
    """Returns the index of a test's unit in the queue."""
    unit = unit_of(test)
    if unit in OWN_STACKS:
        return OWN_STACKS.index(unit)
    if unit in SESSION_STACK:
        return len(OWN_STACKS) + len(SESSION_STACK) - SESSION_STACK.index(unit)
    return len(OWN_STACKS)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sorts the black-box tests by their places in the queue."""
    if all(item.nodeid.startswith("tests/") for item in items):
        items.sort(key=lambda item: place_of(item.nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "FromBothEnds | None":
    """Replaces pytest-xdist's own distribution by files (`--dist loadfile`)."""
    if config.getvalue("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False  # The queue keeps the order of the collected tests.
    return FromBothEnds(config, log)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """After an interruption, stops the stacks of workers that have ended before they could stop them."""
    if exitstatus == pytest.ExitCode.INTERRUPTED and session.config.getoption("dist", "no") != "no":
        folders: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
        for state in folders.getbasetemp().glob("popen-gw*/*/home/stack.json"):
            stop_stack(state.parent)


class FromBothEnds(LoadScopeScheduling):
    """A queue of units. The first worker takes the first unit, all other workers take the last one."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node is not self.nodes[0]:
            unit, tests = self.workqueue.popitem(last=True)
            self.workqueue[unit] = tests
            self.workqueue.move_to_end(unit, last=False)
        super()._assign_work_unit(node)
