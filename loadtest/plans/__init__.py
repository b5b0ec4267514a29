"""`logsieve loadtest plans` compares ways to read a page, over Logsieve's tables and others, on one node and on two."""
