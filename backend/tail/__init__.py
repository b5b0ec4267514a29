"""Live tail: records as they arrive, from Kafka and past ClickHouse."""
