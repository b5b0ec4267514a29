"""The way out: query language, search service and REST API, one folder a feature."""
