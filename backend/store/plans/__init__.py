"""The plans that read a page. All of them return the same records, and differ in what ClickHouse has to read."""
