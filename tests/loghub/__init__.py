"""Real log lines in, the same lines out: every answer is checked against a plain scan of the lines."""
