"""Tenants and their keys, which operators create, list, change and delete."""
