"""The tables that plans are compared on: ours, and exactly those of others."""
