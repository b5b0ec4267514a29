"""Channels by which notices are sent: their checks, their stored form, and their form without secrets for answers."""

import json
import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from backend.alerts.addresses import is_address
from kit.errors import InvalidRequest
from kit.mail_address import is_mail_address

MAX_URL_CHARACTERS: Final = 2000
MAX_HEADERS: Final = 10
MAX_HEADER_CHARACTERS: Final = 2000
MAX_HEADERS_CHARACTERS: Final = 4000
"""Largest number of characters in the names and values of all headers of one channel together."""
MAX_RECIPIENTS: Final = 10
SHOWN_CHARACTERS: Final = 4
"""Number of characters at the end of a URL that answers show."""
MIN_SECRET_CHARACTERS: Final = 20
"""Smallest number of characters in a URL's path and query for which answers show the last SHOWN_CHARACTERS."""

_HOST_LABEL: Final = re.compile(r"[A-Za-z0-9_-]{1,63}")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
_OWN_HEADERS: Final = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection"})


class ChannelKind(StrEnum):
    """Format of a channel's messages: Logsieve's own JSON, the JSON of Slack's webhooks, the JSON of Alertmanager's
    webhooks, or e-mail."""

    webhook = "webhook"
    slack = "slack"
    alertmanager = "alertmanager"
    email = "email"


@dataclass(frozen=True, slots=True)
class Channel:
    """A destination of notices.

    `url` and `headers` are secret, and empty for kind `email`. `recipients` is for kind `email` only.
    """

    kind: ChannelKind
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    recipients: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """Destination in a form without secrets: scheme, host, port and last characters of the URL, or the recipients.

        The last characters distinguish several webhooks of one host. A short path has none, because too much of it
        would be shown.
        """
        if self.kind is ChannelKind.email:
            return ", ".join(self.recipients)
        parts = urlsplit(self.url)
        secret = f"{parts.path}?{parts.query}" if parts.query else parts.path
        last = secret[-SHOWN_CHARACTERS:] if len(secret) >= MIN_SECRET_CHARACTERS else ""
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}/…{last}"


def check_channel(channel: Channel, *, has_mail: bool) -> None:
    """Raises InvalidRequest for a channel with an invalid destination. The error contains no URL and no value of a
    header."""
    if channel.kind is ChannelKind.email:
        _check_mail(channel, has_mail)
        return
    if channel.recipients:
        raise InvalidRequest(
            f"`channels.recipients` is only for kind `email`: leave it out of a channel of kind `{channel.kind}`"
        )
    _check_url(channel.url)
    if len(channel.headers) > MAX_HEADERS:
        raise InvalidRequest(
            f"`channels.headers` has {len(channel.headers)} entries: give at most {MAX_HEADERS} for each channel"
        )
    size = sum(len(name) + len(value) for name, value in channel.headers)
    if size > MAX_HEADERS_CHARACTERS:
        raise InvalidRequest(
            f"`channels.headers` has {size:,} characters: give at most {MAX_HEADERS_CHARACTERS:,} for each channel"
        )
    for name, value in channel.headers:
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
            raise InvalidRequest(f"`channels.headers` has the name {name[:100]!r}, which is not allowed: remove it")
        if len(value) > MAX_HEADER_CHARACTERS or not _HEADER_VALUE.fullmatch(value):
            raise InvalidRequest(
                f"`channels.headers` has an invalid value for {name}: give 1 to {MAX_HEADER_CHARACTERS} characters of "
                "printable ASCII, without spaces at the ends"
            )


def channels_to_json(channels: tuple[Channel, ...]) -> str:
    """Returns the stored form of channels, with their secrets."""
    return json.dumps([asdict(channel) for channel in channels], separators=(",", ":"))


def channels_from_json(text: str) -> tuple[Channel, ...]:
    """Returns the channels of a stored rule."""
    return tuple(
        Channel(
            ChannelKind(stored["kind"]),
            stored["url"],
            tuple((name, value) for name, value in stored["headers"]),
            tuple(stored["recipients"]),
        )
        for stored in json.loads(text)
    )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and _is_host(parts.hostname or "") and parts.port != 0
        has_user = parts.username is not None
    except ValueError:
        is_valid, has_user = False, False
    if not is_valid or len(url) > MAX_URL_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise InvalidRequest(
            f"`channels.url` must be an http or https URL of at most {MAX_URL_CHARACTERS} ASCII characters, such as "
            "https://example.com/hook"
        )
    if has_user:
        raise InvalidRequest(
            "`channels.url` contains a user name: remove it, and give an `Authorization` header in `channels.headers`"
        )


def _is_host(host: str) -> bool:
    """Returns whether a host is an IP address, or a name whose labels have the length that the DNS allows (RFC 1035,
    2.3.4) and the characters of host names, or underscores.

    No top-level domain is a number. Such hosts are short forms of IPv4 addresses, as in http://127.1/, which the HTTP
    client refuses.
    """
    labels = host.removesuffix(".").split(".")
    has_valid_labels = all(_HOST_LABEL.fullmatch(label) for label in labels)
    return is_address(host) or (has_valid_labels and not labels[-1].isdigit())


def _check_mail(channel: Channel, has_mail: bool) -> None:
    if channel.url or channel.headers:
        raise InvalidRequest(
            "`channels.url` and `channels.headers` are not for kind `email`: leave them out, and give "
            "`channels.recipients`"
        )
    if not has_mail:
        raise InvalidRequest(
            "this installation sends no e-mail: ask its operator to set `LOGSIEVE_SMTP_HOST`, or use a webhook"
        )
    if not 1 <= len(channel.recipients) <= MAX_RECIPIENTS:
        raise InvalidRequest(f"`channels.recipients` has {len(channel.recipients)} entries: give 1 to {MAX_RECIPIENTS}")
    for recipient in channel.recipients:
        if not is_mail_address(recipient):
            raise InvalidRequest(
                f"`channels.recipients` has {recipient[:100]!r}, which is not an e-mail address: correct or remove it"
            )
