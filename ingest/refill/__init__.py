"""Fills a replica of the log store from another replica, with all records, also those that Kafka no longer has."""
