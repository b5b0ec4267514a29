"""Tests with real log lines. All answers are compared with those of a plain scan of the lines."""
