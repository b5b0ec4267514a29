"""Patterns: templates that matching messages share."""
