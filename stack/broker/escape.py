"""Escapes values of Java's properties files."""


def escape_property(text: str) -> str:
    """Returns a value of a properties file for a text.

    Kafka reads the file as Latin-1, so characters other than ASCII are written as their UTF-16 code units. Source:
    java.util.Properties.load.
    """
    units = text.replace("\\", "\\\\").encode("utf-16-be")
    codes = (int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2))
    return "".join(chr(code) if 32 <= code < 127 else f"\\u{code:04x}" for code in codes)
