"""Writes answers on separate threads, cuts them into pieces, and sends them."""
