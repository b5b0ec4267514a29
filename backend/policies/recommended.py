"""Attribute names that hold credentials in most installations.

Only `logsieve policy add-defaults` and the API add them. Source: OpenTelemetry semantic conventions,
`http.request.header.<key>` and `rpc.request.metadata.<key>`; older versions had `_` for `-` in the key, and
`rpc.grpc.request.metadata.<key>`.
"""

from typing import Final

from schema.attribute_rules import Action, Rule

_REQUEST_HEADERS: Final = (
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "x-auth-token",
    "x-csrf-token",
    "x-amz-security-token",
)
_RESPONSE_HEADERS: Final = ("set-cookie",)
_METADATA: Final = ("authorization", "cookie", "x-api-key")

_WORDS: Final = (
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "client_secret",
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "api_key",
    "apikey",
    "private_key",
    "credentials",
    "user.password",
    "db.password",
)


def _names() -> list[str]:
    names: dict[str, None] = dict.fromkeys(_WORDS)
    places = (
        ("http.request.header.", _REQUEST_HEADERS),
        ("http.response.header.", _RESPONSE_HEADERS),
        ("rpc.request.metadata.", _METADATA),
        ("rpc.grpc.request.metadata.", _METADATA),
        # Names that loggers of web frameworks use, at the top or in a map of headers.
        ("", _REQUEST_HEADERS + _RESPONSE_HEADERS),
    )
    for place, headers in places:
        for header in headers:
            names |= {place + header: None, place + header.replace("-", "_"): None}
    return list(names)


RECOMMENDED: Final = tuple(Rule(name, False, Action.mask) for name in _names())
"""The recommended rules. They mask instead of drop, so that readers see that there was a credential."""
