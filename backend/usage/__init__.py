"""Usage: requests, records and bytes that tenants sent or were refused, by minute of arrival."""
