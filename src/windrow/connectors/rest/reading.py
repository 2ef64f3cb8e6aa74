"""From a YAML file to a definition: every fault with its line, none hidden by another."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from windrow.connectors.configuration import faults_of
from windrow.connectors.permits import Permits
from windrow.connectors.rest.agreement import disagreements
from windrow.connectors.rest.definition import Definition
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.specs.document import LARGEST, parse
from windrow.specs.finding import FileRefused, Finding, Place, Places
from windrow.telemetry import redact


class DefinitionRefused(FileRefused):
    """A file that describes no API, with everything that is wrong with it."""

    def __init__(self, file: str, findings: Iterable[Finding]) -> None:
        super().__init__(file, findings, "mend the file (docs/how-to/harvest-rest.md), and check it again")


def read_definition(file: str, content: bytes) -> Definition:
    """What the file says, or all that is wrong with it."""
    document = parse(file, content)
    places = Places({path: Place(file, line) for path, line in document.lines.items()}, Place(file, 1))
    findings = list(document.findings)
    made: Definition | None = None
    if document.value is not None:
        try:
            made = Definition.model_validate(document.value)
        except ValidationError as error:
            findings += _told(document.value, error, places)
        else:
            findings += [places.finding(redact(reason), *place) for place, reason in disagreements(made)]
    if findings or made is None:
        raise DefinitionRefused(file, findings)
    return made


def permitted_definition(path: str, permits: Permits) -> Definition:
    """The definition in a file of this machine, if the operator lets the tenant read it."""
    real = permits.path(path)
    if not real.is_file():
        raise ValidationFailure(f"there is no file {path!r}", code=Code.NOT_FOUND, hint="check the path")
    try:
        with real.open("rb") as file:
            return read_definition(path, file.read(LARGEST + 1))
    except OSError as error:
        raise Fatal(
            f"{path!r} cannot be read: {error.strerror}", code=Code.CONFIGURATION, hint="check its permissions"
        ) from error


def _told(value: Any, error: ValidationError, places: Places) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield places.finding("a mapping is due, with version, base_url and streams")
        return
    for fault in faults_of(Definition, error):
        yield places.finding(fault.wrong, *fault.place)
