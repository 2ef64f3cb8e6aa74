"""From what a file declares to what is stored: first a plan that can be shown, then one transaction that carries it out.

The plan names the version of every endpoint that it changes. Whatever somebody else changed since it was made is a conflict,
and then nothing of the plan is carried out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from windrow import endpoints
from windrow.app.manifest import Manifest, ManifestRefused
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import EDITABLE, Endpoint
from windrow.endpoints.trail import difference
from windrow.postgres import Transaction
from windrow.telemetry.redaction import PROCESS


class Action(StrEnum):
    """What becomes of an endpoint."""

    ADD = "add"
    REVIVE = "revive"
    EDIT = "edit"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class Changed:
    """One field, as it was and as it will be; None where there is none."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One endpoint that changes: as it was, and as it is to be. Only one that is added was not, one that goes will not be."""

    action: Action
    name: str
    before: Endpoint | None
    after: Endpoint | None

    @property
    def fields(self) -> list[Changed]:
        """What changes; of one that is new, all that is said about it."""
        if self.after is None:
            return []
        old = _flat(self.before) if self.before and self.action is Action.EDIT else {}
        new = _flat(self.after)
        return [Changed(name, old.get(name), new.get(name)) for name in self._changed(old, new)]

    def _changed(self, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
        if old and self.before and self.after:
            return difference(self.before, self.after)
        return [name for name, value in new.items() if value is not None]


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps, by name, and who stays as it is."""

    scope: Scope
    file: str
    steps: tuple[Step, ...]
    unchanged: tuple[str, ...]

    def of(self, *actions: Action) -> list[Step]:
        return [step for step in self.steps if step.action in actions]


async def planned(tx: Transaction, manifest: Manifest, scope: Scope, *, prune: bool = False) -> Plan:
    """What would have to be done. With `prune`, endpoints that the file does not name are removed."""
    there = {each.endpoint_id: each for each in await endpoints.listed(tx, scope, removed=True)}
    _refuse_other_connectors(manifest, there)
    steps: list[Step] = []
    for wanted in manifest.endpoints:
        before = there.get(wanted.endpoint_id)
        if action := _action(before, wanted):
            steps.append(Step(action=action, name=wanted.endpoint_id, before=before, after=wanted))
    named = {wanted.endpoint_id for wanted in manifest.endpoints}
    if prune:
        gone = [each for name, each in there.items() if name not in named and each.removed_at is None]
        steps += [Step(action=Action.REMOVE, name=each.endpoint_id, before=each, after=None) for each in gone]
    # in one order, so that two who apply at once wait for one another and do not deadlock
    steps.sort(key=lambda step: step.name)
    return Plan(scope, manifest.file, tuple(steps), tuple(sorted(named - {step.name for step in steps})))


async def carry_out(tx: Transaction, plan: Plan, *, actor: Actor, reason: str | None = None) -> None:
    """Every step, each with its line in the audit trail; or a conflict, and none."""
    why = reason or f"applied from {plan.file}"
    for step in plan.steps:
        match step:
            case Step(action=Action.EDIT, before=Endpoint() as before, after=Endpoint() as after):
                changes = {name: getattr(after, name) for name in EDITABLE}
                await endpoints.edit(tx, before, changes, expected_version=before.version, actor=actor, reason=why)
            case Step(action=Action.REMOVE, before=Endpoint() as before):
                await endpoints.remove(
                    tx, plan.scope, step.name, actor=actor, reason=why, expected_version=before.version
                )
            case Step(after=Endpoint() as after):
                await endpoints.add(tx, after, actor)


def _action(before: Endpoint | None, wanted: Endpoint) -> Action | None:
    if before is None:
        return Action.ADD
    if before.removed_at is not None:
        return Action.REVIVE
    return Action.EDIT if difference(before, wanted) else None


def _refuse_other_connectors(manifest: Manifest, there: dict[str, Endpoint]) -> None:
    findings = [
        manifest.places.finding(
            f"cannot become {wanted.connector}: it is a {before.connector} source, and another connector is another source;"
            " choose another name, or remove it first",
            "endpoints",
            wanted.endpoint_id,
            "connector",
        )
        for wanted in manifest.endpoints
        if (before := there.get(wanted.endpoint_id))
        and before.removed_at is None
        and before.connector != wanted.connector
    ]
    if findings:
        raise ManifestRefused(manifest.file, findings)


def _flat(endpoint: Endpoint) -> dict[str, Any]:
    """Its settings by name, those of the configuration one by one; as they may be shown."""
    return dict(_fields(endpoint))


def _fields(endpoint: Endpoint) -> Iterator[tuple[str, Any]]:
    for name, value in endpoint.settings().items():
        if name != "config":
            yield name, value
    for name, value in endpoint.config.items():
        yield f"config.{name}", PROCESS.value(value, name)
