"""`logsieve loadtest fairness`: one tenant beside another that sends far over its limit."""
