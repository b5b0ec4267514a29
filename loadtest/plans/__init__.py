"""`logsieve loadtest plans`: compares ways to read a page, over our tables and others', on one node and on two."""
