"""Tests of the stack on one machine, which run its real commands and processes."""
