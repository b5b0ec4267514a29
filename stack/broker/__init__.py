"""The Kafka brokers of the one-machine stack."""
