"""The ClickHouse nodes of the one-machine stack."""
