"""The way in: the receiver takes OTLP to Kafka, the loader takes Kafka to ClickHouse."""
