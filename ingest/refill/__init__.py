"""Fills a replica of the log store from another one, with everything that Kafka no longer has."""
