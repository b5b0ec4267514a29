"""`logsieve loadtest paging` reads all pages of a tenant while records arrive."""
