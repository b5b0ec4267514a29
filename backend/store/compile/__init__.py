"""Compiles a query to a boolean ClickHouse expression with server-side parameters. Pure: runs nothing."""
