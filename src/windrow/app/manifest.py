"""Endpoints as a file says them, for teams that keep theirs in git: every fault with its line, before anything is touched.

endpoints:
  handbook:
    connector: git
    config: {path: /srv/handbook}
    schedule: 1h
"""

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windrow import endpoints
from windrow.connectors import registry
from windrow.connectors.configuration import configured, faults
from windrow.connectors.demands import unmet
from windrow.connectors.registry import AnyConnector
from windrow.contracts.errors import WindrowError
from windrow.contracts.scope import Scope, checked_name
from windrow.endpoints import EDITABLE, Endpoint
from windrow.endpoints.secrecy import secret_field, secret_value
from windrow.specs.document import parse
from windrow.specs.finding import FileRefused, Finding, Place, Places
from windrow.telemetry import redact
from windrow.telemetry.redaction import REDACTED

FIELDS = ("connector", *EDITABLE)
_KINDS: dict[str, tuple[type, str]] = {
    "connector": (str, "a text"),
    "config": (dict, "a mapping"),
    "credential_ref": (str, "a text"),
    "schedule": (str, "a text"),
    "page_size": (int, "a whole number"),
}
# a connector's configuration may have parts within parts, and stands four levels deep itself
_DEEPEST = 12
_SECRET = "would be a secret in clear: name where it is kept as credential_ref (docs/how-to/credentials.md)"  # noqa: S105


class ManifestRefused(FileRefused):
    """A file that is not applied, with everything that is wrong with it."""

    def __init__(self, file: str, findings: Iterable[Finding]) -> None:
        super().__init__(file, findings, "mend the file and apply it again; nothing was changed")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a file declares, in the order of the names, and where each part of it stands."""

    file: str
    endpoints: tuple[Endpoint, ...]
    places: Places


def read_manifest(file: str, content: bytes, scope: Scope) -> Manifest:
    """The endpoints that the file declares for this project, or all that is wrong with it."""
    document = parse(file, content, deepest=_DEEPEST)
    places = Places({path: Place(file, line) for path, line in document.lines.items()}, Place(file, 1))
    reading = _Reading(scope, places, [_unrevealing(finding) for finding in document.findings])
    declared = list(reading.endpoints(document.value)) if document.value is not None else []
    if reading.findings:
        raise ManifestRefused(file, reading.findings)
    return Manifest(file, tuple(sorted(declared, key=lambda each: each.endpoint_id)), places)


class _Reading:
    """A file on its way to endpoints: what is wrong is noted, and the rest is read all the same."""

    def __init__(self, scope: Scope, places: Places, findings: list[Finding]) -> None:
        self._places, self.findings = places, findings
        # for rules about one field, which are not to stumble over another
        self._blank = Endpoint(scope=scope, endpoint_id="blank", connector="blank")

    def endpoints(self, value: Any) -> Iterator[Endpoint]:
        """Every endpoint that is well."""
        declared = value.get("endpoints") if isinstance(value, dict) else None
        if not isinstance(declared, dict):
            self._note("a mapping `endpoints` is due, from names to what they are; {} for none", "endpoints")
            return
        for strange in value.keys() - {"endpoints"}:
            self._note("is not known; a file holds `endpoints`", strange)
        for name, body in declared.items():
            if isinstance(body, dict):
                if whole := self._endpoint(name, body):
                    yield whole
            else:
                self._note(f"a mapping is due, with {', '.join(FIELDS)}", "endpoints", name)

    def _endpoint(self, name: str, body: dict[str, Any]) -> Endpoint | None:
        way, noted = ("endpoints", name), len(self.findings)
        if secret_value(name):
            self._note(_SECRET, *way)
        else:
            with self._noting(*way):
                checked_name("endpoint", name)
        if "connector" not in body:
            self._note("connector is missing; `windrow connectors` lists what there is", *way)
        given = {field: value for field, value in body.items() if self._is_due(value, *way, field)}
        kind = self._connector(given.get("connector"), *way, "connector")
        given["config"] = self._config(kind, given.get("config", {}), *way, "config")
        for field in given.keys() - {"connector"}:
            with self._noting(*way, field):
                endpoints.check(replace(self._blank, **{field: given[field]}))
        if kind is None:
            return None
        named = {field: body.get(field) if field in given else None for field in ("credential_ref", "page_size")}
        for field, refusal in unmet(kind.spec, **named):
            if field in given or body.get(field) is None:  # else what is wrong with it was told already
                self._note(_sentence(refusal), *way, field)
        if len(self.findings) > noted:
            return None
        return endpoints.check(replace(self._blank, endpoint_id=name, **given))

    def _is_due(self, value: Any, *way: str) -> bool:
        """Whether a field is known, of the right kind, and no secret; one that is null was not said at all."""
        field = way[-1]
        if field not in FIELDS:
            near = difflib.get_close_matches(field, FIELDS, 1)
            self._note("is not known" + (f" (did you mean {near[0]}?)" if near else ""), *way)
            return False
        kind, due = _KINDS[field]
        if value is None and field != "connector":
            return False
        if type(value) is not kind:
            self._note(f"{due} is due", *way)
            return False
        if isinstance(value, str) and secret_value(value):
            self._note(_SECRET, *way)
            return False
        return True

    def _connector(self, name: str | None, *way: str) -> AnyConnector | None:
        if name is not None:
            with self._noting(*way):
                return registry.find(name)
        return None

    def _config(self, kind: AnyConnector | None, config: dict[str, Any], *way: str) -> dict[str, Any]:
        """The configuration as the connector's model spells it; nothing where it is wrong."""
        noted = len(self.findings)
        for field, value in config.items():
            if secret_field({field: value}):
                self._note(_SECRET, *way, field)
        if kind is None:
            return {}
        wrong = faults(kind, config)
        for fault in wrong:
            self._note(fault.wrong, *way, *fault.field.split("."))
        for field in set(kind.spec.path_fields) - {fault.field for fault in wrong}:
            if isinstance(path := config.get(field), str) and not Path(path).is_absolute():
                self._note("is refused: write the whole path, since workers begin elsewhere", *way, field)
        if len(self.findings) > noted:
            return {}
        typed: dict[str, Any] = configured(kind, config).model_dump(mode="json", exclude_unset=True, by_alias=True)
        return typed

    @contextmanager
    def _noting(self, *way: str) -> Iterator[None]:
        try:
            yield
        except WindrowError as error:
            self._note(_sentence(error), *way)

    def _note(self, reason: str, *way: str) -> None:
        # people paste secrets where names are due
        shown = ".".join(REDACTED if secret_value(part) else part for part in way if part)
        self.findings.append(replace(self._places.finding(redact(reason), *way), about=shown))


def _sentence(error: WindrowError) -> str:
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _unrevealing(finding: Finding) -> Finding:
    """A finding about the file as such, which does not know what is secret."""
    if not secret_value(finding.about) and not secret_value(finding.reason):
        return finding
    return replace(finding, about="", reason=f"{REDACTED} is refused: it would be a secret in clear")
