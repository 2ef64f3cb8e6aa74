"""A notice as incoming webhooks of Slack take it, and those of Mattermost, Rocket.Chat and Discord (`/slack`) after it.

What a notice says may come from a hostile source. So nothing in it is a link, a mention or a layout: Slack's three
characters are written as entities, an `@` mentions nobody, no preview is fetched.
"""

import json
from typing import Any

from windrow.messages import Message
from windrow.notify.notice import Notice, Severity, opened

_COLOURS = {Severity.INFO: "#5b6b7b", Severity.WARNING: "#d9822b", Severity.CRITICAL: "#c23030"}
_ZERO_WIDTH_SPACE = "\u200b"


def body(message: Message) -> bytes:
    """The whole body of the POST."""
    return json.dumps(rendered(message), ensure_ascii=False, separators=(",", ":")).encode()


def rendered(message: Message) -> dict[str, Any]:
    """One line for a phone's lock screen, and an attachment with the rest."""
    notice = opened(message.payload)
    headline = f"{notice.severity.upper()} {notice.channel}: {plain(notice.title)}"
    return {
        "text": f"{headline} ({plain(message.tenant_id)})",
        "unfurl_links": False,
        "unfurl_media": False,
        "attachments": [
            {
                "color": _COLOURS[notice.severity],
                "fallback": headline,
                "text": plain(notice.text),
                "fields": [_field(name, value) for name, value in _facts(message.tenant_id, notice).items() if value],
                # by this, who gets a notice twice can tell
                "footer": f"windrow {message.message_id}",
                "ts": int(message.published_at.timestamp()),
                "mrkdwn_in": [],
            }
        ],
    }


def plain(text: str) -> str:
    """The text as nothing but text."""
    entities = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return entities.replace("@", f"@{_ZERO_WIDTH_SPACE}")


def _facts(tenant_id: str, notice: Notice) -> dict[str, str | None]:
    return {
        "tenant": tenant_id,
        "project": notice.project_id,
        "endpoint": notice.endpoint_id,
        "run": notice.run_id,
        "error": " ".join(filter(None, (notice.error_class, notice.code))),
        "next": notice.hint,
    }


def _field(name: str, value: str | None) -> dict[str, Any]:
    return {"title": name, "value": plain(value or ""), "short": name != "next"}
