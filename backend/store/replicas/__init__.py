"""Which replica of the log store a statement reads: one that answers and has all rows that were found before."""
