"""The audit log: who changed what of tenants, keys, limits, retention and rules."""
