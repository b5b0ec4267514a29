"""Tests of rules for the files of the repository."""
