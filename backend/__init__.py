"""The side of Logsieve that users read from: query language, log store, search and REST API."""
