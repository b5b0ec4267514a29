"""`logsieve loadtest outage` keeps Kafka or ClickHouse down for some time under load."""
