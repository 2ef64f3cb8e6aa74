"""Checks of what a connector says about itself and about its source."""

import re
from typing import Any

from windrow.connectors.conformance.candidate import Candidate
from windrow.connectors.conformance.result import Failed
from windrow.connectors.connector import Finding
from windrow.connectors.describe import fields
from windrow.connectors.spec import ConnectorSpec, Credential
from windrow.telemetry.redaction import secret_by_name

_NAME = re.compile(r"[a-z][a-z0-9_.:-]{0,63}")


async def spec(candidate: Candidate) -> str:
    """The spec is whole: names that provenance takes, a strict and described configuration, a documented credential."""
    faults = _faults(candidate.spec, candidate.connector)
    if faults:
        raise Failed("; ".join(faults), "mend the `ConnectorSpec` and its configuration model")
    return f"{candidate.spec.spec_ref}, {len(candidate.spec.config.model_fields)} fields"


def _faults(spec: ConnectorSpec, connector: Any) -> list[str]:
    known = fields(connector)
    rules = {
        f"{spec.name!r} or {spec.source_system!r} is no name (a-z, 0-9, _ . : -)": all(
            map(_NAME.fullmatch, (spec.name, spec.source_system))
        ),
        "the version is empty": bool(spec.version.strip()),
        "the title is empty": bool(spec.title.strip()),
        "max_concurrency is below 1": spec.max_concurrency >= 1,
        "unknown fields of a configuration are not refused (extra='forbid')": spec.config.model_config.get("extra")
        == "forbid",
        "a credential is taken, and credential_help does not say what it is": spec.credential is Credential.NONE
        or bool(spec.credential_help.strip()),
        **{f"the field {field.name} has no description": bool(field.help) for field in known},
        **{f"the field {field.name} asks for a secret": not secret_by_name(field.name) for field in known},
        **{
            f"path_fields names {name}, which is no field": name in spec.config.model_fields
            for name in spec.path_fields
        },
    }
    return [fault for fault, kept in rules.items() if not kept]


async def prepare(candidate: Candidate) -> str:
    """`prepare` tells what it looked at, and all of it is well; what is not has a next step."""
    async with candidate.open() as opened:
        findings = await opened.connector.prepare()
    if not findings or not all(isinstance(each, Finding) and each.name and each.detail for each in findings):
        raise Failed("`prepare` tells nothing about the source", "give a `Finding` for each thing that it looks at")
    silent = [each.name for each in findings if not each.well and not each.hint]
    if silent:
        raise Failed(f"not well and without a next step: {', '.join(silent)}", "give those findings a hint")
    unwell = [each for each in findings if not each.well]
    if unwell:
        told = "; ".join(f"{each.name}: {each.detail}" for each in unwell)
        raise Failed(f"the source cannot be read: {told}", "; ".join(str(each.hint) for each in unwell))
    return "; ".join(f"{each.name}: {each.detail}" for each in findings)
