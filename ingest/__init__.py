"""Ingest: the receiver writes OTLP requests to Kafka, the loader writes Kafka's messages to ClickHouse."""
