"""What tenants sent and what of it was refused, by minute of arrival."""
