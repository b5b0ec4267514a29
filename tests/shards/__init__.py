"""Tests of a log store of several ClickHouse nodes."""
