"""`logsieve loadtest contention` profiles hundreds of searches at once, with inserts and without."""
