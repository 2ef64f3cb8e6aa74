"""From a directory of spec files to `Specs`: every fault of every file, none hidden by another."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from re import fullmatch
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from windrow.contracts.errors import Code, ValidationFailure, classify
from windrow.specs.document import LARGEST, Document, parse
from windrow.specs.entries import Entry
from windrow.specs.finding import Finding, Place, Places
from windrow.specs.finding import Path as Way
from windrow.specs.specs import SECTIONS, Specs

# what Windrow comes with
SHIPPED = Path(__file__).with_name("data")
_MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """What was declared, as far as it could be read; and as it was `written`, with what could not."""

    specs: Specs
    written: Mapping[str, Mapping[str, Any]]
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Gathered:
    """Entries of all files so far."""

    entries: dict[str, dict[str, Entry]] = field(default_factory=lambda: {section: {} for section in SECTIONS})
    written: dict[str, dict[str, Any]] = field(default_factory=lambda: {section: {} for section in SECTIONS})
    places: dict[Way, Place] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def read(directory: Path = SHIPPED) -> Reading:
    """Read every spec file of a directory; what is wrong is told, and the rest is there."""
    gathered = _Gathered()
    for document in _documents(directory):
        gathered.findings += document.findings
        gathered.findings += _gather(document, gathered)
    specs = Specs(**gathered.entries, places=Places(gathered.places, Place(str(directory), 1)))  # type: ignore[arg-type]
    return Reading(specs, gathered.written, tuple(gathered.findings))


def copy(target: Path) -> list[Path]:
    """Windrow's own files in a new directory, to be changed there."""
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise ValidationFailure(
            f"{target} is there already", code=Code.ALREADY_EXISTS, hint="name a directory that does not exist yet"
        ) from None
    except OSError as error:
        raise classify(error) from error
    return [Path(shutil.copyfile(file, target / file.name)) for file in sorted(SHIPPED.glob("*.yaml"))]


def _documents(directory: Path) -> Iterator[Document]:
    if not directory.is_dir():
        raise ValidationFailure(
            f"{directory} is not a directory", code=Code.NOT_FOUND, hint="name the directory that holds the spec files"
        )
    files = sorted(path for path in directory.iterdir() if path.suffix in {".yaml", ".yml"})
    if not files:
        yield _refused(directory, "no spec file is here: their names end in .yaml")
    for path in files[:_MOST_FILES]:
        if path.suffix == ".yml":
            yield _refused(path, "is not read: the names of spec files end in .yaml")
        elif not path.is_file():
            yield _refused(path, "is no file")
        else:
            yield _document(path)
    if len(files) > _MOST_FILES:
        yield _refused(files[_MOST_FILES], f"is not read: there are more than {_MOST_FILES} files")


def _document(path: Path) -> Document:
    try:
        with path.open("rb") as file:
            return parse(str(path), file.read(LARGEST + 1))
    except OSError as error:
        return _refused(path, f"cannot be read: {error.strerror}")


def _refused(path: Path, reason: str) -> Document:
    document = Document(str(path))
    document.refuse(1, reason)
    return document


def _gather(document: Document, gathered: _Gathered) -> Iterator[Finding]:
    here = Places({way: Place(document.file, line) for way, line in document.lines.items()}, Place(document.file, 1))
    if document.value is None:
        return
    if not isinstance(document.value, dict):
        yield here.finding(f"a mapping is due, with {', '.join(SECTIONS)}")
        return
    for section, declared in document.value.items():
        if section not in SECTIONS:
            yield here.finding(f"not known; a file holds {', '.join(SECTIONS)}", section)
        elif not isinstance(declared, dict):
            yield here.finding("a mapping from names to what they are is due", section)
        else:
            gathered.places.setdefault((section,), here.of(section))
            for name, body in declared.items():
                yield from _entry(section, name, body, here, gathered)


def _entry(section: str, name: str, body: Any, here: Places, gathered: _Gathered) -> Iterator[Finding]:
    model, grammar = SECTIONS[section]
    if name in gathered.written[section]:
        yield here.finding(f"is declared twice, first in {gathered.places[section, name]}", section, name)
        return
    gathered.written[section][name] = body
    gathered.places |= here.below(section, name)
    if not fullmatch(grammar, name):
        yield here.finding(f"is not a name for one of the {section}: {grammar}", section, name)
    try:
        gathered.entries[section][name] = model.model_validate(body)
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False):
            yield here.finding(_reason(fault), section, name, *fault["loc"])


def _reason(fault: ErrorDetails) -> str:
    """What the model says, in our words where its own are about Python."""
    match fault["type"]:
        case "extra_forbidden":
            return "not known"
        case "missing":
            return "is missing"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "a mapping of its fields is due"
        case "tuple_type":
            return "a list is due"
        case "too_short":
            return "at least one is due"
        case _:
            said = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
            return f"{said}, not {_shown(fault['input'])}" if not isinstance(fault["input"], dict) else said


def _shown(value: Any) -> str:
    return f"{value!r}"[:80]
