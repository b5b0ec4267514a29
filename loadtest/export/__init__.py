"""`logsieve loadtest export` measures how much memory of the backend exports take."""
