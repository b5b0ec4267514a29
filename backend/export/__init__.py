"""Export: all matching records as one stream."""
