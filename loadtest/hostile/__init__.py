"""`logsieve loadtest hostile` attacks a stack, with and without a key, and measures what other tenants notice."""
