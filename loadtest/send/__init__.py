"""`logsieve loadtest send` sends on a fixed schedule and checks thresholds, which each release must keep."""
