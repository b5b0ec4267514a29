"""Stores the results of studies as files, and makes the pages of docs/benchmarks from them."""
