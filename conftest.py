"""Fixtures and hooks for the tests of every package."""

from tests.chance import load_hypothesis_profile

pytest_plugins = ("tests.control_database", "tests.failure_report", "tests.schedule")

load_hypothesis_profile()
