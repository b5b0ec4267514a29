"""`logsieve loadtest explorer`: how fast the search page of the web UI is, measured in a browser."""
