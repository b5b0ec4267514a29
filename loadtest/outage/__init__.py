"""`logsieve loadtest outage`: Kafka or ClickHouse is down for a while."""
