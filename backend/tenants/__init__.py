"""Tenants and their keys: made, listed and revoked by operators."""
