"""Computes numbers over matching records: groups, functions and time series."""
