"""Sends the same OTLP requests and questions to Logsieve and to other log stores: `logsieve loadtest peers`."""
