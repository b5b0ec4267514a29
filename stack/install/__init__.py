"""Installs what the stack needs into the checkout: `scripts/setup`. Standard library only: the venv comes from here."""
