"""`logsieve loadtest soak` sends for hours and measures what grows or slows down meanwhile."""
