"""What one tenant notices of another that sends far over its limit: `logsieve loadtest fairness`."""
