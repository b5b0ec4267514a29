"""Unit tests of the one-machine stack."""
