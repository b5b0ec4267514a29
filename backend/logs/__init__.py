"""Shared by the endpoints under /api/v1/logs: parameters, records as JSON, and the cost of an answer."""
