"""What is stored no longer than it may be: partitions past retention, and rows of deleted tenants."""
