"""Open-loop load at fixed rates, judged by thresholds: what a release has to pass."""
