"""The check that a credential is used and never shown."""

import base64
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from windrow.connectors.conformance.candidate import Candidate, Opened
from windrow.connectors.conformance.reading import Read, read
from windrow.connectors.conformance.result import Failed, Skipped
from windrow.connectors.spec import Credential


async def secrets(candidate: Candidate) -> str:
    """The credential is in no item, cursor, position, finding, note or log line."""
    if candidate.spec.credential is Credential.NONE:
        raise Skipped("the connector takes no credential")
    credential = await candidate.context.credential()
    if credential is None:
        raise Skipped("no credential was given")
    forms = _forms(credential.reveal())
    async with candidate.open() as opened:
        findings = await opened.connector.prepare()
        reads = await read(opened.connector, None, candidate.size, most=candidate.limits.pages)
    places = sorted({place for place, text in _outputs(opened, findings, reads) if any(form in text for form in forms)})
    if places:
        raise Failed(
            f"the credential is in {', '.join(places)}", "`reveal` it in the one call that needs it, and nowhere else"
        )
    return "the credential is in no output"


def _forms(secret: str) -> set[str]:
    raw = secret.encode()
    coded = {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    return {secret, repr(secret)[1:-1], quote(secret, safe=""), *coded}


def _outputs(opened: Opened, findings: list[Any], reads: list[Read]) -> Iterator[tuple[str, str]]:
    for finding in findings:
        yield "a finding", repr(finding)
    for each in reads:
        yield "a cursor", repr(each.page.cursor)
        yield "a position", each.page.position
        yield "the metadata of a page", repr(each.turned.metadata)
        for item in each.turned.items:
            yield "an item", repr(item)
        for refused in each.turned.refused:
            yield "the reason of a refusal", repr(refused)
    for event, fields in opened.witness.said:
        yield "a log line", f"{event} {fields!r}"
    for name, value in opened.witness.notes.kept.items():
        yield "a note", f"{name} {value}"
