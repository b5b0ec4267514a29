"""The metadata that loaders commit to Kafka with their offsets, for all processes that read it."""
