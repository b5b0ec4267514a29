"""Adds to the report of a failed test the seed, the folders of the stacks, and the command that repeats only this test.

pytest keeps the folders of its last three runs, so that the logs of the stacks can be read after a failed run.
"""

import shlex
from collections.abc import Generator

import pytest

from tests.chance import SEED, SOAKING, USUAL_SEED
from tests.running_stack import running_homes


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        report.sections.append(("To repeat this test alone", how_to_repeat(report.nodeid)))
    return report


def how_to_repeat(test: str) -> str:
    """Returns the seed, the folders of running stacks and the command, as readable text."""
    seed = [] if SEED == USUAL_SEED else [f"LOGSIEVE_TEST_SEED={SEED}"]
    soak = ["LOGSIEVE_TEST_SOAK=1"] if SOAKING else []
    command = " ".join([*seed, *soak, ".venv/bin/pytest", shlex.quote(test)])
    stacks = [f"stack: {home}, its logs: {home / 'logs'}" for home in running_homes()]
    return "\n".join([f"seed: {SEED}", *stacks, f"command: {command}"])
