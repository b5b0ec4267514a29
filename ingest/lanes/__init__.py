"""Keeps the number of parts of each lane low: creates lanes, and moves tenants to them."""
