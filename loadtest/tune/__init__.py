"""Which index, and with which parameters: measured, not guessed."""
