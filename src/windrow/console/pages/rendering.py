"""From what a page shows to HTML: everything escaped, nothing inline, the same frame around all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from windrow.console.pages import words
from windrow.console.pages.static import Static
from windrow.console.session import Visit
from windrow.contracts.errors import WindrowError
from windrow.telemetry import redact
from windrow.web.principal import Role

THEME = "windrow-theme"
THEMES = ("auto", "light", "dark")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# what the way to a section is: its address, its name, and the key that leads there after a `g`
SECTIONS = {
    "overview": ("/", "Overview", "o"),
    "endpoints": ("/endpoints", "Endpoints", "e"),
    "runs": ("/runs", "Runs", "r"),
    "catalog": ("/catalog", "Catalog", "c"),
    "quarantine": ("/quarantine", "Quarantine", "q"),
    "jobs": ("/jobs", "Jobs", "j"),
    "media": ("/media", "Media", "m"),
    "queues": ("/queues", "Queues", "u"),
    "alerts": ("/alerts", "Alerts", "a"),
    "audit": ("/audit", "Audit", "t"),
    "kv": ("/kv", "Key values", "k"),
}
# the way there is offered to those who may go it: everybody, unless it says otherwise
RESERVED = {"audit": Role.ADMIN}
# of where somebody was, other sites learn nothing; `no-referrer` would take the origin from our own forms too
_HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows. `live` is the template of the part that renews itself, and `stream` where its renewals come from;
    `seek` is what the field at the top searches."""

    template: str
    title: str
    section: str
    context: Mapping[str, Any] = field(default_factory=dict)
    live: str | None = None
    stream: str | None = None
    seek: tuple[str, str] = ("/catalog", "Search the catalog")


class Renderer:
    """Draws views into the frame."""

    def __init__(self, static: Static) -> None:
        self._environment = Environment(
            loader=PackageLoader("windrow.console.pages"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(
            clock=words.clock,
            duration=words.duration,
            number=words.number,
            size=words.size,
            stamp=words.stamp,
            redacted=redact,
            ticked=_ticked,
        )
        self._environment.globals.update(
            ago=words.ago, plural=words.plural, static=static.url, sections=SECTIONS, reserved=RESERVED
        )

    def page(self, visit: Visit, view: View, status: int = 200, *, refused: WindrowError | None = None) -> HTMLResponse:
        """The whole page, for somebody who is logged in; after a form that was refused, with what it said."""
        said = visit.form if refused else {}
        return self._drawn(
            visit.request, view, status, visit=visit, may_write=visit.may(Role.WRITER), refused=refused, said=said
        )

    def outside(self, request: Request, view: View, status: int = 200) -> HTMLResponse:
        """A page for anybody: without the ways to what is inside."""
        return self._drawn(request, view, status, visit=None, may_write=False)

    def part(self, visit: Visit, view: View) -> str:
        """The part that renews itself, alone."""
        assert view.live, "only such views have a stream"
        template = self._environment.get_template(view.live)
        return template.render(**view.context, now=_now(), visit=visit, may_write=visit.may(Role.WRITER))

    def _drawn(self, request: Request, view: View, status: int, **more: Any) -> HTMLResponse:
        theme = request.cookies.get(THEME, "auto")
        text = self._environment.get_template(view.template).render(
            **view.context, **more, now=_now(), view=view, theme=theme if theme in THEMES else "auto"
        )
        # half a surrogate, as some sources have them in names, is no character that could be sent
        return HTMLResponse(text.encode("utf-8", "replace"), status, _HEADERS)


def _ticked(text: str) -> Markup:
    """What stands between backticks, as code: our hints are written for a shell too."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def _now() -> datetime:
    return datetime.now(UTC)
