"""Live tail: records as they arrive, read from Kafka and not from ClickHouse."""
