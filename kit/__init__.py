"""Code that every other package uses and that knows nothing of log records."""
