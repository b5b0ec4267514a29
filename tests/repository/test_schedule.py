"""Tests how black-box tests are distributed over workers, and what the report of a failed test contains."""

import subprocess
import sys
from pathlib import Path

from tests.schedule import FOLDERS, OWN_STACKS, SESSION_STACK, place_of, unit_of

PACKAGES = Path(__file__).resolve().parents[2]


def test_every_unit_that_has_a_place_exists_and_has_one_place() -> None:
    units = [*OWN_STACKS, *SESSION_STACK]
    assert [unit for unit in units if not (PACKAGES / unit).exists()] == []
    assert len(set(units)) == len(units)
    assert all(unit in FOLDERS or unit.endswith(".py") for unit in units)


def test_a_unit_is_a_file_or_a_folder_whose_files_share_something() -> None:
    assert unit_of("tests/api/test_tail.py::test_x[a::b]") == "tests/api/test_tail.py"
    assert unit_of("tests/tls/test_journey.py::test_x") == "tests/tls"


def test_long_units_are_at_both_ends_of_the_queue() -> None:
    unnamed = place_of("tests/api/test_unnamed.py::test_x")
    assert place_of(OWN_STACKS[0]) < place_of(OWN_STACKS[1]) < unnamed < place_of(SESSION_STACK[1])
    assert place_of(SESSION_STACK[1]) < place_of(SESSION_STACK[0])


def test_a_failed_test_prints_its_seed_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    failing = tmp_path / "test_failing.py"
    failing.write_text(
        "import pytest\n\n@pytest.mark.parametrize('x', ['a b'])\ndef test_it(x):\n    assert x == 'c'\n"
    )
    arguments = ["-p", "tests.failure_report", "-c", "/dev/null", "--rootdir", str(tmp_path), str(failing)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=PACKAGES,
        env={"PATH": "/usr/bin:/bin", "LOGSIEVE_TEST_SEED": "7", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "seed: 7" in done.stdout
    assert "LOGSIEVE_TEST_SEED=7 .venv/bin/pytest 'test_failing.py::test_it[a b]'" in done.stdout
