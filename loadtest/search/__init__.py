"""`logsieve loadtest search`: time of a page over both index profiles and over an exporter's table."""
