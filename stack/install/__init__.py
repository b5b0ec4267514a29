"""Installs what the stack needs: `scripts/setup` into the checkout, `python -P -m stack.install` into the user's cache.
Standard library only, because it creates the venv."""
