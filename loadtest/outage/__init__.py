"""What applications notice while Kafka or ClickHouse is down for a while: `logsieve loadtest outage`."""
