"""The web UI: its files and its sign-in."""
