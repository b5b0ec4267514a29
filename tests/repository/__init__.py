"""The repository's own rules, held by tests rather than by wishes."""
