"""Where notices go: every one to the log, and those of a channel that has a webhook to that."""

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.messages import Delivery, Poster, SigningSecret, Webhook
from windrow.notify import slack
from windrow.notify.notice import Severity, opened
from windrow.telemetry import emit
from windrow.telemetry.redaction import PROCESS

LOG_SINK = "notify.log"

# the secret behind a credential_ref of the operator's
Resolve = Callable[[str], Awaitable[SigningSecret]]

_SAID = {Severity.INFO: "notice.told", Severity.WARNING: "notice.warned", Severity.CRITICAL: "notice.alerted"}
# what is wrong with the address, not with the message: a person who mends it mends the message too
_ABOUT_THE_HOOK = frozenset({Code.INVALID, Code.NOT_FOUND, Code.GONE})


# shorter parts of an address are words, and would blank out half of every line
_SHORTEST_TOKEN = 16


class Log:
    """Says every notice in the log, with the level that its severity asks for."""

    async def deliver(self, delivery: Delivery) -> None:
        """Say it."""
        notice = opened(delivery.message.payload)
        emit(
            _SAID[notice.severity],
            channel=str(notice.channel),
            message_id=str(delivery.message.message_id),
            title=notice.title,
            text=notice.text,
            project_id=notice.project_id,
            endpoint_id=notice.endpoint_id,
            run_id=notice.run_id,
            error_class=notice.error_class,
            code=notice.code,
            hint=notice.hint,
        )


class Hook:
    """Posts to the webhook of a channel. Its address is a secret, and read anew for each delivery."""

    def __init__(
        self, client: Poster, credential_ref: str, resolve: Resolve, *, secret: SigningSecret | None = None
    ) -> None:
        self._client, self._credential_ref, self._resolve, self._secret = client, credential_ref, resolve, secret

    async def deliver(self, delivery: Delivery) -> None:
        """Post it; an answer that is no success raises."""
        url = (await self._resolve(self._credential_ref)).reveal().strip()
        for part in _tokens(url):
            PROCESS.know(part)
        try:
            await Webhook(self._client, url, secret=self._secret, body=slack.body).deliver(delivery)
        except ValidationFailure as error:
            if error.code not in _ABOUT_THE_HOOK:
                raise
            raise Fatal(
                error.message, code=Code.CONFIGURATION, hint=f"put the webhook's address into {self._credential_ref}"
            ) from error


def _tokens(url: str) -> list[str]:
    """What makes an address secret. Errors show addresses in their own spelling, so that knowing the whole is not enough."""
    return [part for part in urlsplit(url).path.split("/") if len(part) >= _SHORTEST_TOKEN]
