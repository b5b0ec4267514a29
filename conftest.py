"""Fixtures for the tests of every package."""

pytest_plugins = ("tests.control_database",)
