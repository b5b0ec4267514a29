"""Parts that every other package uses and that know nothing of log records."""
