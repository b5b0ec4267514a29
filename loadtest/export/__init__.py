"""Exports of many records, and the memory they take: `logsieve loadtest export`."""
