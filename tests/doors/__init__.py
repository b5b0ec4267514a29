"""Attacks on the listening ports, each against a separate process with small limits."""
