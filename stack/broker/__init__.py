"""The Kafka broker of the one-machine stack."""
