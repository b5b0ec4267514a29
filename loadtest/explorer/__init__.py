"""`logsieve loadtest explorer` measures the speed of the web UI's search page in a browser."""
