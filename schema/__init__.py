"""The contracts between the parts: log record, Kafka envelope, ClickHouse tables, control-plane models."""
