"""The control plane's tables and what reads them: tenants, keys, limits, lanes, rules, views, alerts, audit log."""
