"""Profiles of a ClickHouse server: which functions its threads are in, by wall-clock time (Real) and by CPU time."""
