"""`logsieve loadtest parts` measures how planning time grows with the number of parts, in one table and with lanes."""
