"""The log store: statements over one tenant's records, how pages are planned and read, and whose turn it is."""
