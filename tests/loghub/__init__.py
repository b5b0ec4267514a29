"""Tests with real log lines: every answer is compared with a plain scan of the lines."""
