"""The same OTLP requests and the same questions to Logsieve and to other log stores: `logsieve loadtest peers`."""
