"""Sends the notices of the outbox to their channels."""

import asyncio
import math
import secrets
import smtplib
from dataclasses import replace
from types import TracebackType
from typing import Final, NamedTuple, Self
from urllib.parse import urlsplit

import aiohttp
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.alerts.addresses import AddressRefused, GuardedResolver, NameRefused, check_address
from backend.alerts.bounded_answer import AnswerTooLong, bounded_connector
from backend.alerts.channels import ChannelKind
from backend.alerts.claimed_work import ClaimedWork, FreeSlots
from backend.alerts.control_plane import answering, one_writer
from backend.alerts.mail import NoMailServer, RecipientsRefused, message, send_mail
from backend.alerts.outbox import Outgoing, claim_notices, mark_failed, mark_sent, renew_notices
from backend.alerts.payloads import payload
from kit import metrics
from kit.clock import Clock
from kit.settings import Settings

TIMEOUT_SECONDS: Final = 10.0
"""Longest time of a request to a webhook, in seconds, from the resolution of the host name to the status of the
answer."""

STOP_SECONDS: Final = TIMEOUT_SECONDS + 2.0
"""Longest wait of a stop for the notices that are being sent, in seconds. It is longer than a request to a webhook, and
shorter than a claim still holds after its last renewal."""

NOTICE_HEADER: Final = "X-Logsieve-Notice"
"""Header with the notice's id, which is the same in each attempt."""

_MAIL_FAULT: Final = (
    "the e-mail could not be sent because of an error in Logsieve or its SMTP settings: ask the operator; the log of "
    "the alert worker has the reason under the notice's id"
)
"""Reason of a failed attempt after an unexpected error. Only the log has the error's own text, which may name hosts."""

log = structlog.get_logger()


class _Refused(Exception):
    """The receiver of a webhook answered with a failure. `is_final` is true if a further attempt cannot succeed."""

    def __init__(self, detail: str, *, is_final: bool) -> None:
        super().__init__(detail)
        self.is_final = is_final


class _Failure(NamedTuple):
    """Reason of a failed attempt. `is_final`: no later attempt can succeed.

    `refused` has the recipients of an e-mail that was accepted for the others. It is empty if nobody got the notice.
    """

    detail: str
    is_final: bool
    refused: tuple[str, ...] = ()

    def left(self, outgoing: Outgoing) -> Outgoing:
        """Returns the notice for those who did not get it in this attempt."""
        if not self.refused:
            return outgoing
        return replace(outgoing, channel=replace(outgoing.channel, recipients=self.refused))


class Sender:
    """Sends notices, at most `alerts_max_concurrent` (a setting) at the same time."""

    def __init__(self, settings: Settings, engine: AsyncEngine, clock: Clock) -> None:
        self._settings = settings
        self._engine = engine
        self._clock = clock
        self._allowed = settings.webhook_networks
        self._notices = ClaimedWork(self._claim, self._send, settings.alerts_max_concurrent)
        self._attempts = metrics.counter(metrics.ALERT_NOTICES)
        self._writing = one_writer(engine)
        self._held: dict[str, str] = {}
        """Claims of the notices that are being sent, by the ids of these notices."""

    async def __aenter__(self) -> Self:
        # Without cookies, redirects or a proxy of the environment, a request goes to the checked address and nowhere
        # else.
        self._session = aiohttp.ClientSession(
            connector=bounded_connector(GuardedResolver(self._allowed)),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS),
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A channel may get the notice of an attempt that is cancelled, and would get it again from the next worker.
        await self._notices.finish(STOP_SECONDS)
        await self._session.close()

    async def send_due(self, seconds: float = math.inf) -> int:
        """Sends notices until none is due, or for `seconds`, and returns the number of claims. Raises what
        `ClaimedWork.run` raises."""
        return await self._notices.run(seconds)

    async def renew(self) -> None:
        """Extends the claims of the notices that are being sent, so that no other worker sends them."""
        async with answering(), self._writing:
            if self._held:
                await renew_notices(self._engine, self._held, self._clock.now_ns())

    async def _claim(self, slots: FreeSlots) -> list[Outgoing]:
        async with answering():
            return await claim_notices(
                self._engine, self._clock.now_ns(), slots, secrets.token_hex(16), self._held.keys()
            )

    async def _send(self, outgoing: Outgoing) -> None:
        self._held[outgoing.id] = outgoing.claim
        try:
            failure = await self._attempt(outgoing)
            async with answering(), self._writing:
                if failure is None:
                    await mark_sent(self._engine, outgoing)
                else:
                    left, now_ns = failure.left(outgoing), self._clock.now_ns()
                    await mark_failed(self._engine, left, failure.detail, now_ns, is_final=failure.is_final)
        finally:
            del self._held[outgoing.id]

    async def _attempt(self, outgoing: Outgoing) -> _Failure | None:
        """Sends a notice. Returns the reason if it did not reach every recipient, and None otherwise."""
        try:
            if outgoing.channel.kind is ChannelKind.email:
                await self._mail(outgoing)
            else:
                await self._post(outgoing)
        except RecipientsRefused as error:
            self._attempts.add(1, {"outcome": "failed"})
            log.warning(
                "a notice was not sent to all recipients",
                notice=outgoing.id,
                attempt=outgoing.attempts,
                reason=str(error),
            )
            return _Failure(error.detail, error.is_final, tuple(error.codes) if error.were_others_accepted else ())
        except (OSError, aiohttp.ClientError, TimeoutError, smtplib.SMTPException, _Refused) as error:
            self._attempts.add(1, {"outcome": "failed"})
            # The HTTP client raises errors of the resolver inside its own errors.
            cause = error.__cause__ if isinstance(error.__cause__, NameRefused) else error
            is_final = isinstance(cause, (AddressRefused, AnswerTooLong))
            is_final = is_final or (isinstance(cause, _Refused) and cause.is_final)
            detail = _reason(cause)
            log.warning("a notice was not sent", notice=outgoing.id, attempt=outgoing.attempts, reason=detail)
            return _Failure(detail, is_final)
        except Exception:
            # Without a stored failure, the notice would be sent again each time its claim expires.
            self._attempts.add(1, {"outcome": "failed"})
            log.exception("a notice cannot be sent", notice=outgoing.id, attempt=outgoing.attempts)
            if outgoing.channel.kind is ChannelKind.email:
                # The operator may correct the SMTP settings before the last attempt.
                return _Failure(_MAIL_FAULT, False)
            return _Failure("the notice cannot be sent to this channel: correct the channel", True)
        self._attempts.add(1, {"outcome": "sent"})
        return None

    async def _post(self, outgoing: Outgoing) -> None:
        channel = outgoing.channel
        check_address(urlsplit(channel.url).hostname or "", self._allowed)
        async with self._session.post(
            channel.url,
            json=payload(channel.kind, outgoing.id, outgoing.notice),
            headers=[*channel.headers, (NOTICE_HEADER, outgoing.id)],
            allow_redirects=False,
        ) as answer:
            # The body is not read, because a webhook could send a body that never ends (bounded_answer.py).
            if not 200 <= answer.status < 300:
                is_final = 300 <= answer.status < 500 and answer.status not in (408, 425, 429)
                raise _Refused(f"the webhook answered {answer.status}", is_final=is_final)

    async def _mail(self, outgoing: Outgoing) -> None:
        recipients, now_ns = outgoing.channel.recipients, self._clock.now_ns()
        mail = message(self._settings.smtp_from, recipients, outgoing.id, outgoing.notice, now_ns)
        await asyncio.to_thread(send_mail, self._settings, mail)


def _reason(error: Exception) -> str:
    """Returns the reason of a failure. It does not contain the URL, which is secret."""
    if isinstance(error, (AddressRefused, AnswerTooLong, NameRefused, NoMailServer, _Refused)):
        return str(error)
    if isinstance(error, TimeoutError):
        return "the server of the channel did not answer in time"
    if isinstance(error, smtplib.SMTPServerDisconnected):
        return "the SMTP server did not answer in time, or closed the connection"
    if isinstance(error, smtplib.SMTPException):
        return f"the SMTP server refused the e-mail ({type(error).__name__})"
    return f"the server of the channel could not be reached ({type(error).__name__})"
