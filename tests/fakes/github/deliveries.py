"""Webhooks as GitHub sends them: signed, numbered, about one thing."""

import hashlib
import hmac
import json
import uuid
from typing import Any

from tests.fakes.github import wire
from tests.fakes.github.state import Account, Repository

SECRET = "hook-canary-5f2a9c"


def delivery(
    event: str,
    account: Account,
    of: Repository,
    said: dict[str, Any],
    *,
    secret: str = SECRET,
    number: str | None = None,
) -> tuple[dict[str, str], bytes]:
    """Headers and body."""
    whole = said | {"repository": wire.repository(account, of), "sender": wire.user("octo", 1)}
    body = json.dumps(whole).encode()
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/044aadd",
        "x-github-delivery": number or str(uuid.uuid4()),
        "x-github-event": event,
        "x-github-hook-id": "292430182",
        "x-hub-signature-256": f"sha256={signature}",
    }
    return headers, body
