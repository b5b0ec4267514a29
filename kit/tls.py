"""Certificates that HTTP clients trust, read once in a process: reading them takes longer than most requests."""

import ssl
from functools import cache

import httpx2


@cache
def trusted() -> ssl.SSLContext:
    """What `httpx2` trusts unless told otherwise; as `verify` of every client that is made more than once."""
    return httpx2.create_ssl_context()
