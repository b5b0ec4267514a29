"""Manages attribute rules and redactions. Receivers apply them (ingest/policy)."""
