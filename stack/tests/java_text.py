"""Reads values of properties files as Java does."""

import re


def java_text(value: str) -> str:
    """Returns the text that java.util.Properties reads from a value without line ends."""
    units = re.sub(r"\\u(....)|\\(.)", lambda found: chr(int(found[1], 16)) if found[1] else found[2], value)
    return units.encode("utf-16", "surrogatepass").decode("utf-16")
