"""Fixtures for the tests of every package."""

from hypothesis import settings

pytest_plugins = ("tests.control_database",)

# Drawn alike in every run, and without a limit of time that a busy machine would miss; --hypothesis-profile=default
# draws anew.
settings.load_profile("ci")
