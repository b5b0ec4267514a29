"""Tests of the web UI in a real browser, over a real stack with the sample logs."""
