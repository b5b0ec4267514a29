"""Attacks on the listening ports, each against a process of its own with small limits."""
