"""`logsieve loadtest patterns` measures how well and how fast messages are grouped into patterns, beside drain3."""
