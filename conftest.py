"""Fixtures and hooks for the tests of every package."""

import os
import sys

from tests.chance import load_hypothesis_profile

pytest_plugins = ("tests.control_database", "tests.failure_report", "tests.leaks", "tests.schedule")

load_hypothesis_profile()

# Tests start hundreds of Logsieve's processes. Without bytecode, each of them compiles every module that it imports,
# which takes up to a second of CPU.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
