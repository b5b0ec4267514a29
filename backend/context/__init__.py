"""Context: the records that stand before and after one record."""
