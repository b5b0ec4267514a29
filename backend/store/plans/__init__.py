"""The ways to read one page. All give exactly the same page; they differ in what they make ClickHouse read."""
