"""What is stored no longer than it may be: partitions past their retention."""
