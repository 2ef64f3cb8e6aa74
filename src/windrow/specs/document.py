"""One spec file: YAML made plain. Values as JSON has them, each with its line; what a reader would stumble over is refused.

Taken is what YAML and JSON agree upon: texts, numbers, true, false, null, lists, mappings with texts as keys. Refused are
anchors and aliases (a few lines of them unfold to gigabytes), tags, a key that is there twice, tabs, several documents.
`yes`, `on`, `12:30` and `2026-01-31` are texts: YAML's older guesses are not made.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import yaml

from windrow.specs.finding import Finding, Path, Place, found

# many times what a spec file has, and read within seconds whatever is in it
LARGEST = 256 * 1024
DEEPEST = 8
_MOST_REFUSALS = 100

_TAG = "tag:yaml.org,2002:"


class _Plain(yaml.SafeLoader):
    """Guesses only what JSON also knows."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the library's own way


_Plain.add_implicit_resolver(f"{_TAG}null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
_Plain.add_implicit_resolver(f"{_TAG}bool", re.compile(r"^(?:true|false)$"), ["t", "f"])
# a number that does not fit 18 digits is a text, and refused as one
_Plain.add_implicit_resolver(f"{_TAG}int", re.compile(r"^[-+]?[0-9]{1,18}$"), list("-+0123456789"))
_Plain.add_implicit_resolver(f"{_TAG}float", re.compile(r"^[-+]?[0-9]{1,18}\.[0-9]{1,18}$"), list("-+0123456789"))

_SCALARS: dict[str, Callable[[str], Any]] = {
    f"{_TAG}null": lambda _: None,
    f"{_TAG}bool": lambda text: text == "true",
    f"{_TAG}int": int,
    f"{_TAG}float": float,
}


@dataclass(slots=True)
class Document:
    """What a file says, and the line of each part; or what is wrong with it."""

    file: str
    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def refuse(self, line: int, reason: str, about: Path = ()) -> None:
        """Note that something is wrong."""
        self.findings.append(found(Place(self.file, line), about, reason))


def parse(file: str, content: bytes, *, deepest: int = DEEPEST) -> Document:
    """Read a file's bytes."""
    document = Document(file)
    text = _decoded(document, content)
    if text is None:
        return document
    try:
        for line, reason in islice(_refusals(text, deepest), _MOST_REFUSALS):
            document.refuse(line, reason)
        node = None if document.findings else yaml.compose(text, Loader=_Plain)
    except yaml.MarkedYAMLError as error:
        document.refuse(*_told(error))
        return document
    if node is not None:
        document.value = _value(document, node, ())
    if document.value is None and not document.findings:
        document.refuse(1, "the file is empty: declare something, or remove it")
    return document


def _decoded(document: Document, content: bytes) -> str | None:
    if len(content) > LARGEST:
        document.refuse(1, f"the file is larger than {LARGEST >> 10} KiB: split it")
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        document.refuse(content.count(b"\n", 0, error.start) + 1, "the file is not UTF-8")
        return None
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            document.refuse(number, "a tab: use spaces")
        elif not line.removesuffix("\r").isprintable():
            document.refuse(number, "a character that cannot be seen: remove it")
    return None if document.findings else text


def _refusals(text: str, deepest: int) -> Iterator[tuple[int, str]]:
    """What must not even be unfolded. Events come one by one, so that a bomb costs no more than its text."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Plain):
        line = event.start_mark.line + 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > deepest:
            yield line, f"more than {deepest} levels, one in the other"
            return
        if documents > 1:
            yield line, "a second document: one a file"
            return
        if isinstance(event, yaml.AliasEvent):
            yield line, f"the alias *{event.anchor}: write out what is meant"
        elif getattr(event, "anchor", None):
            yield line, f"the anchor &{event.anchor}: write out what is meant where it is meant"
        if getattr(event, "tag", None):
            yield line, f"the tag {event.tag}: write plain YAML"


def _told(error: yaml.MarkedYAMLError) -> tuple[int, str]:
    mark = error.problem_mark or error.context_mark
    said = ", ".join(part for part in (error.problem, error.context) if part) or "not YAML"
    return (mark.line + 1 if mark else 1), f"not YAML: {' '.join(said.split())[:200]}"


def _value(document: Document, node: yaml.Node, path: Path) -> Any:
    # where a key stands, its value is said to stand: what follows it may begin lines below
    document.lines.setdefault(path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(document, node, path)
    if isinstance(node, yaml.SequenceNode):
        return [_value(document, each, (*path, index)) for index, each in enumerate(node.value)]
    return _scalar(node)


def _mapping(document: Document, node: yaml.MappingNode, path: Path) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for written, value in node.value:
        line = written.start_mark.line + 1
        key = _scalar(written) if isinstance(written, yaml.ScalarNode) else written
        if not isinstance(key, str):
            document.refuse(line, "a key that is no text: put it in quotes, or name it otherwise", path)
        elif key in made:
            document.refuse(line, f"is there twice, first on line {document.lines[*path, key]}", (*path, key))
        else:
            document.lines[*path, key] = line
            made[key] = _value(document, value, (*path, key))
    return made


def _scalar(node: yaml.Node) -> Any:
    return _SCALARS.get(node.tag, str)(node.value)
