"""The log store: statements over one tenant's records, the plans of pages, and the queue in front of ClickHouse."""
