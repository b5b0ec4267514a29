"""What the endpoints under /api/v1/logs share: their parameters, records as JSON, and what an answer cost."""
