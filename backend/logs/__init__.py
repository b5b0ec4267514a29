"""Shared by the endpoints under /api/v1/logs: parameters, compiled query text, and records as JSON."""
