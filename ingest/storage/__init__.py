"""Shares the disks of the log store fairly between tenants."""
