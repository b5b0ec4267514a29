"""Recognises e-mail addresses that the mail library takes as they are."""

import re
from email.utils import parseaddr
from typing import Final

MAX_CHARACTERS: Final = 254
"""Largest number of characters of an address (RFC 5321, 4.5.3.1.3, without the angle brackets)."""

# The mail library decodes encoded words (`=?utf-8?q?a?=`) in addresses, so the e-mail would go to another address.
_ADDRESS: Final = re.compile(
    r"(?!.*=\?)[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", re.ASCII
)


def is_mail_address(text: str) -> bool:
    """Returns whether a text is an e-mail address without a display name, as in `ops@example.com`."""
    return len(text) <= MAX_CHARACTERS and _ADDRESS.fullmatch(text) is not None


def address_of_sender(text: str) -> str | None:
    """Returns the address of a sender, which may have a display name as in `Logsieve <logs@example.com>`. Returns None
    for another text."""
    _, address = parseaddr(text)
    return address if text.isprintable() and is_mail_address(address) else None
