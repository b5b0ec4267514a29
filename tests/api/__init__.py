"""The REST API and the receiver from outside: what they refuse, and how they say so."""
