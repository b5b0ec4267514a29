"""What a client without a key, or with ill will, can do to a stack."""
