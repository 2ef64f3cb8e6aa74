"""What a browser makes of a page with a form: the fields that it would send, as our side reads them."""

from functools import cache
from html.parser import HTMLParser
from typing import Any

from jinja2 import Template

from windrow.console.pages.rendering import Renderer
from windrow.console.pages.static import Static
from windrow.console.pages.words import NOTHING

_ENVIRONMENT = Renderer(Static())._environment


@cache
def _template(source: str) -> Template:
    return _ENVIRONMENT.from_string('{% import "endpoints/blanks.html" as form %}' + source)


def drawn(source: str, **context: Any) -> str:
    """A piece of a page."""
    return _template(source).render(**context)


def filled(html: str) -> dict[str, str]:
    """What is sent if nobody touches anything; of a name that stands there twice, the last."""
    reader = _Fields()
    reader.feed(html)
    reader.close()
    return {name: value.replace("\0", "\ufffd").strip() for name, value in reader.fields}


class _Fields(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.fields: list[tuple[str, str]] = []
        self._open: tuple[str, str] | None = None
        self._text, self._options, self._selected = "", [""], ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "input":
            if given.get("type") != "checkbox" or "checked" in given:
                value = given.get("value", "on")
                # one line has no line ends: a browser takes them out
                self.fields.append((given["name"], value.replace("\n", "").replace("\r", "")))
        elif tag in ("textarea", "select"):
            self._open, self._text, self._options, self._selected = (tag, given["name"]), "", [], ""
        elif tag == "option":
            self._text = ""
            self._options.append("")
            self._selected = "here" if "selected" in given else self._selected

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "option":
            self._options[-1] = self._text.removeprefix(NOTHING)
            if self._selected == "here":
                self._selected = f"={self._options[-1]}"
        elif self._open and tag == self._open[0]:
            name, text = self._open[1], self._text.removeprefix("\n")
            chosen = self._selected[1:] if self._selected else (self._options or [""])[0]
            lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
            self.fields.append((name, lines if tag == "textarea" else chosen))
            self._open = None
