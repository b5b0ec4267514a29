"""The audit log: who changed tenants, keys, limits, retention, rules, views, dashboards and alert rules, and when."""
