"""Tenants and keys over REST, for admin keys."""
