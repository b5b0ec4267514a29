"""`logsieve loadtest search` measures pages over both index profiles and over the OpenTelemetry exporter's table."""
