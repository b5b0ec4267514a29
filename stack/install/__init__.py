"""Installs what the stack needs into the checkout: `scripts/setup`. Standard library only, because it creates the
venv."""
