"""REST API to manage tenants and keys, for admin keys."""
