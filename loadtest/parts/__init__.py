"""`logsieve loadtest parts`: growth of planning time with the number of parts, in one table and with lanes."""
