"""A preview: the first records of a source as the items that a run would make of them. Nothing is written anywhere.

It begins where the dataset begins and knows no cursor: the live one is neither read nor moved. It ends with the dataset
or with the first of its bounds.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

import msgspec

from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec, PageSizes
from windrow.contracts.errors import Code, ValidationFailure, WindrowError, classify
from windrow.contracts.identity import Identity
from windrow.contracts.page import Page, Refused
from windrow.harvest.guards import Guards
from windrow.harvest.refine import refine
from windrow.telemetry import bound, emit, redact, span
from windrow.telemetry.catalogue import preview as told
from windrow.telemetry.redaction import PROCESS

DIRECTIVE = "previewDatasetWorkflow"
# what travels through a workflow's history has at most 2 MB, and a reader's patience has bounds as well
MOST_ROWS, MOST_BYTES, MOST_SECONDS = 500, 1024 * 1024, 300.0


class Ended(StrEnum):
    """What ended a preview."""

    WHOLE = "whole"  # the dataset has no more
    ROWS = "rows"
    BYTES = "bytes"
    SECONDS = "seconds"
    DISABLED = "disabled"  # the connector offers none


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is shown, and how long it may take."""

    rows: int = 20
    bytes: int = 256 * 1024
    seconds: float = 30.0

    def __post_init__(self) -> None:
        asked = {
            "rows": (self.rows, MOST_ROWS),
            "bytes": (self.bytes, MOST_BYTES),
            "seconds": (self.seconds, MOST_SECONDS),
        }
        for name, (value, most) in asked.items():
            if not 0 < value <= most:
                raise ValidationFailure(
                    f"a preview of {value:g} {name} is refused", code=Code.INVALID_VALUE, hint=f"at most {most:g}"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A record that would be refused: where it is in the source, and every reason."""

    position: str
    external_id: str | None
    reasons: list[dict[str, str]]


@dataclass(slots=True, kw_only=True)
class Preview:
    """What a run would make of the first records, redacted; and what ended it, in a word and in a sentence."""

    ended: Ended = Ended.WHOLE
    why: str = ""
    items: list[dict[str, Any]] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    # a little of the content behind the items, by external id, where the connector offers it
    samples: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    pages: int = 0
    bytes: int = 0
    seconds: float = 0.0

    @property
    def shown(self) -> int:
        return len(self.items) + len(self.refused)


async def preview(connector: Connector[Any], bounds: Bounds) -> Preview:
    """A sample of what the connector's endpoint holds. Errors are those of the family; a missing ability is none."""
    context, spec = connector.context, connector.spec
    with (
        bound(
            agent="meta-worker",
            directive=DIRECTIVE,
            tenant_id=context.scope.tenant_id,
            project_id=context.scope.project_id,
            endpoint_id=context.endpoint_id,
            spec_id=spec.spec_ref,
        ),
        span("preview.take", source=spec.name),
    ):
        if not spec.capabilities.preview:
            return _disabled(spec)
        emit("preview.started", connector=spec.name, rows=bounds.rows, bytes=bounds.bytes, seconds=bounds.seconds)
        sampler = _Sampler(connector, bounds)
        try:
            sample = await sampler.take()
        except asyncio.CancelledError:
            sampler.tell("cancelled")
            raise
        except Exception as error:
            ours = classify(error)
            _tell_failure(spec, ours)
            if ours is error:
                raise
            raise ours from error
        sampler.tell(sample.ended)
        return sample


def _disabled(spec: ConnectorSpec) -> Preview:
    emit("preview.disabled", connector=spec.name)
    told.DISABLED.add(1, connector=spec.name)
    return Preview(ended=Ended.DISABLED, why=f"the connector {spec.name} offers no preview")


def _tell_failure(spec: ConnectorSpec, error: WindrowError) -> None:
    emit(
        "preview.failed",
        connector=spec.name,
        error_class=error.error_class,
        code=error.code,
        reason=error.message,
        error=error.__cause__,
    )


class _Sampler:
    """One preview under way."""

    def __init__(self, connector: Connector[Any], bounds: Bounds) -> None:
        self._connector, self._bounds = connector, bounds
        self._identity = Identity(connector.context.scope, connector.context.endpoint_id)
        self._guards = Guards(None, connector.progress)
        self._begun = time.monotonic()
        self._sample = Preview()

    async def take(self) -> Preview:
        try:
            async with asyncio.timeout(self._bounds.seconds) as limit:
                await self._connector.prepare()
                ended = await self._read()
                await self._illustrate()
        except TimeoutError:
            if not limit.expired():
                raise
            ended = Ended.SECONDS
        self._sample.ended, self._sample.why = ended, _WHY[ended].format(bounds=self._bounds)
        self._sample.seconds = round(time.monotonic() - self._begun, 3)
        return self._sample

    def tell(self, outcome: str) -> None:
        sample = self._sample
        emit(
            "preview.ended",
            outcome=str(outcome),
            connector=self._connector.spec.name,
            pages=sample.pages,
            item_count=len(sample.items),
            refused=len(sample.refused),
            bytes=sample.bytes,
            seconds=round(time.monotonic() - self._begun, 3),
        )

    async def _read(self) -> Ended:
        size = _page_size(self._connector.spec.page_sizes, self._bounds.rows)
        # the interface promises an iterator; one that is a generator is closed as soon as there is enough
        pages = cast("AsyncGenerator[Page, None]", self._connector.fetch_pages(None, size))
        async with aclosing(pages):
            async for page in pages:
                if ended := self._add(page):
                    return ended
        return Ended.WHOLE

    async def _illustrate(self) -> None:
        """Content beside the items, as far as there is room for it: it is left out whole rather than cut."""
        shown = [item["external_id"] for item in self._sample.items]
        for external_id, content in (await self._connector.samples(shown)).items():
            if self._has_room(sample := PROCESS.value(content)):
                self._sample.samples[redact(external_id)] = sample

    def _add(self, page: Page) -> Ended | None:
        """Show what the bounds still let be shown of a page; what ended the preview, if anything did."""
        shown = page.records[: self._bounds.rows - self._sample.shown]
        # no more is looked at than is shown: a page of a thousand costs a preview of twenty nothing
        refined = refine(self._connector.transform(msgspec.structs.replace(page, records=shown)), self._identity)
        self._guards.check(page, [*refined.item_ids, *refined.hashes])
        self._sample.pages += 1
        for one in refined.refused:
            if not self._has_room(refusal := _refusal(page, one)):
                return Ended.BYTES
            self._sample.refused.append(refusal)
        for row in refined.rows:
            if self._sample.shown >= self._bounds.rows:
                return Ended.ROWS
            if not self._has_room(item := _shown(row)):
                return Ended.BYTES
            self._sample.items.append(item)
        if page.last and len(shown) == len(page.records):
            return Ended.WHOLE
        if self._sample.shown >= self._bounds.rows:
            return Ended.ROWS
        # a cancellation can be lost on its way through a connector, and comes only once
        return Ended.SECONDS if time.monotonic() - self._begun > self._bounds.seconds else None

    def _has_room(self, part: Any) -> bool:
        size = len(msgspec.json.encode(part))
        if self._sample.bytes + size > self._bounds.bytes:
            return False
        self._sample.bytes += size
        return True


_WHY = {
    Ended.WHOLE: "this is all that the source shows",
    Ended.ROWS: "there may be more behind the first {bounds.rows}",
    Ended.BYTES: "there is more than {bounds.bytes} bytes can show",
    Ended.SECONDS: "the source took longer than {bounds.seconds:g} seconds",
}


def _page_size(sizes: PageSizes, rows: int) -> int:
    """As few records as the connector lets one ask for."""
    return min(max(rows, sizes.smallest), sizes.largest)


def _shown(row: bytes) -> dict[str, Any]:
    item: dict[str, Any] = PROCESS.value(msgspec.json.decode(row))
    # for the subscriber alone: whom the relations mean
    item.pop("targets", None)
    return item


def _refusal(page: Page, refused: Refused) -> Refusal:
    reasons = [{name: str(value) for name, value in msgspec.to_builtins(each).items()} for each in refused.reasons]
    return Refusal(
        position=redact(f"{page.position} #{refused.index}")[:500],
        external_id=redact(refused.external_id) if refused.external_id else None,
        reasons=PROCESS.value(reasons),
    )
