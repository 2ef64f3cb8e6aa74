"""A draft: an endpoint as somebody fills it in, with everything that is wrong with it beside the blank where it stands."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from windrow import endpoints
from windrow.connectors.configuration import configured
from windrow.connectors.registry import AnyConnector
from windrow.connectors.spec import ConnectorSpec, Credential
from windrow.console.pages.endpoints.checks import refused, wrong_config, wrong_name, wrong_settings, wrong_zone
from windrow.console.pages.endpoints.form.blanks import ROOT, Blank, Kind, blanks
from windrow.console.pages.endpoints.form.sheet import RAW, Entry, Sheet, names, read, sent_back
from windrow.contracts.identity import canonical
from windrow.contracts.scope import Scope
from windrow.endpoints import Endpoint
from windrow.endpoints.secrecy import secret_field

_PAIR = re.compile(r'"(?P<name>[^"\n]{1,200})"\s{0,20}:\s{0,20}"(?P<value>[^"\n]{1,2000})"')
# the same as YAML has it: a line of its own, or within braces
_LINE = re.compile(r"(?:^[ \t-]*|[{,] ?)(?P<name>[\w.-]{1,200}): +(?P<value>[^\s\"{\[][^\"\n,}]{0,2000})", re.MULTILINE)
_REFERENCE = re.compile(r"(?:secret|credential)_ref$")
_REFERENCES = "env:NAME, file:/PATH, vault:MOUNT/PATH#FIELD, aws-sm:NAME or gcp-sm:NAME"


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands on the sheet, and the endpoint that it makes: None while something is wrong."""

    sheet: Sheet
    wanted: Endpoint | None = None
    time_zone: str = "UTC"

    @property
    def mark(self) -> str:
        """Changes with every setting: by it, what was tried is known again when it is saved."""
        assert self.wanted, "what is wrong is not tried"
        return hashlib.sha256(canonical(self.wanted.settings())).hexdigest()[:32]


def asked(spec: ConnectorSpec, *, new: bool) -> tuple[Blank, ...]:
    """What is asked beside the configuration; of an endpoint that is there, its name and schedule are not."""
    credential = Blank(
        path=("credential_ref",),
        kind=Kind.TEXT,
        label="Credential",
        help=f"{spec.credential_help.rstrip('.')}. It takes the name under which it is kept, never the secret: {_REFERENCES}",
        required=spec.credential is Credential.REQUIRED,
        nullable=True,
        first=True,
    )
    sizes = spec.page_sizes
    size = Blank(
        path=("page_size",),
        kind=Kind.WHOLE,
        label="Page size",
        help=f"records a page, {sizes.smallest} to {sizes.largest}; {sizes.standard}, if not given",
        nullable=True,
        default=None,
    )
    beside = (size,) if spec.credential is Credential.NONE else (credential, size)
    return (_NAME, *beside, _SCHEDULE, _ZONE) if new else beside


_NAME = Blank(
    path=("name",),
    kind=Kind.TEXT,
    label="Name",
    help="how it is called here, and in the catalog: a-z, 0-9, dot, dash and underscore",
    required=True,
    first=True,
)
_SCHEDULE = Blank(
    path=("schedule",),
    kind=Kind.TEXT,
    label="Schedule",
    help="when it is read: `15m`, `@hourly`, or five cron fields such as `0 6 * * mon-fri`; only by hand, if not given",
    nullable=True,
    default=None,
    first=True,
)
_ZONE = Blank(
    path=("time_zone",),
    kind=Kind.TEXT,
    label="Time zone",
    help="in which the schedule is meant, such as Europe/Berlin",
    default="UTC",
    first=True,
)


def empty(kind: AnyConnector) -> Draft:
    """Nothing but the defaults."""
    return Draft(_sheet(kind, asked(kind.spec, new=True), {"schedule": "1h"}, {}))


def of(kind: AnyConnector, endpoint: Endpoint) -> Draft:
    """An endpoint that is there."""
    return Draft(_sheet(kind, asked(kind.spec, new=False), _known(endpoint), endpoint.config))


def drafted(kind: AnyConnector, form: Mapping[str, str], scope: Scope, before: Endpoint | None = None) -> Draft:
    """What a form says: an endpoint, or everything that is wrong with it. `before` is the one that it changes."""
    beside, inner = asked(kind.spec, new=before is None), blanks(kind)
    said, wrong = read(beside, form, _known(before) if before else {})
    config, unread = read(inner, form, before.config if before else {})
    wrong |= unread | _unknown(inner, form)
    shown = _sheet(kind, beside, _known(before) if before else {}, before.config if before else {})
    sheet = replace(shown, entries=_kept(shown, form))
    draft = Draft(sheet, time_zone=said.pop("time_zone", "UTC"))
    said = {"credential_ref": None, "page_size": None} | said
    if before is None:
        said["endpoint_id"] = said.pop("name", "")
        wrong |= wrong_name(said["endpoint_id"]) | wrong_zone(draft.time_zone)
    wrong |= wrong_settings(kind, said) | wrong_config(kind, sheet.labels(), config, unread)
    if wrong:
        return faulty(draft, wrong)
    typed = configured(kind, config).model_dump(mode="json", exclude_unset=True, by_alias=True)
    base = before or Endpoint(scope=scope, endpoint_id=said["endpoint_id"], connector=kind.spec.name)
    return replace(draft, wanted=endpoints.check(replace(base, config=typed, **said)))


def faulty(draft: Draft, wrong: Mapping[str, str]) -> Draft:
    """The draft with what is wrong with it."""
    return replace(draft, sheet=replace(draft.sheet, faults=wrong))


def _sheet(kind: AnyConnector, beside: tuple[Blank, ...], said: Mapping[str, Any], config: Mapping[str, Any]) -> Sheet:
    outer, inner = Sheet.drawn(beside, said), Sheet.drawn(blanks(kind), config)
    return Sheet((*outer.blanks, *inner.blanks), {**outer.entries, **inner.entries})


def _known(endpoint: Endpoint) -> dict[str, Any]:
    return {"credential_ref": endpoint.credential_ref, "page_size": endpoint.page_size}


def _unknown(inner: tuple[Blank, ...], form: Mapping[str, str]) -> dict[str, str]:
    """A form that was drawn by another version would otherwise lose what it says."""
    strange = sorted(name for name in form if name.startswith((f"{ROOT}.", RAW)) and name not in set(names(inner)))
    return {"": f"there is no blank {strange[0][:80]!r} in this form: load it again"} if strange else {}


def _kept(shown: Sheet, form: Mapping[str, str]) -> dict[str, Entry]:
    """What was filled in, as it is shown again: nothing that is a secret by its name or its looks. What a form leaves out
    is as it was shown."""
    entries: dict[str, Entry] = {}
    for blank in shown.blanks:
        sent = sent_back([blank], form)
        entries |= {name: Entry("" if _secret(name, entry) else entry.text, entry.raw) for name, entry in sent.items()}
        if not sent:
            entries |= {name: entry for name, entry in shown.entries.items() if f"{name}.".startswith(f"{blank.name}.")}
    return entries


def _secret(name: str, entry: Entry) -> bool:
    # people paste the secret itself where its name is asked for
    if _REFERENCE.search(name) and entry.text and refused(name, credential_ref=entry.text):
        return True
    pairs = ((pair["name"], pair["value"]) for form in (_PAIR, _LINE) for pair in form.finditer(entry.text))
    return any(secret_field({key: text}) for key, text in ((name.rpartition(".")[2], entry.text), *pairs))
