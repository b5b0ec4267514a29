"""A log store of several ClickHouse nodes."""
