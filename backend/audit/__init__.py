"""The audit log: the history of changes to tenants, keys, limits, retention and rules, with their actors."""
