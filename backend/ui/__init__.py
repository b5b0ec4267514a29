"""The web UI: its files, and how it signs in."""
