"""Tests of the web UI in a real browser, on a real stack with the sample logs."""
