"""`logsieve loadtest peers` sends the same OTLP requests and the same questions to Logsieve and to other log stores."""
