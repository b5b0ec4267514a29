"""The data formats that all parts share: log record, Kafka envelope, ClickHouse tables, control-plane models."""
