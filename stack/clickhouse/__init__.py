"""The ClickHouse node of the one-machine stack."""
