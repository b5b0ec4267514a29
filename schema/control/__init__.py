"""The control plane's data: tenants, keys, lanes, cohorts and limits."""
