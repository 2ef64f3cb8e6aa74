"""A namespace as the specs declare it, as a server has it, and in what the two differ. Pure.

Its name is `<environment><separator><family>`, and `<environment><separator><family><separator><tenant>` for a tenant who
has one of its own. Environments and families hold no separator, so no two of them share a name. Which it is also stands
in the namespace's data, where workers look.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.specs import Family, Specs

# what says which namespace it is; another value here means another namespace, not drift
IDENTITY = ("environment", "family", "tenant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """What a namespace is to be."""

    name: str
    description: str
    retention: timedelta
    data: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a server says of one."""

    description: str
    retention: timedelta
    data: Mapping[str, str] = field(default_factory=dict)
    usable: bool = True


@dataclass(frozen=True, slots=True)
class Drift:
    """A field that is not as declared; `found` is None where there is nothing."""

    namespace: str
    field: str
    declared: str
    found: str | None

    def __str__(self) -> str:
        there = "is not there" if self.found is None else f"is {self.found!r}"
        return f"{self.namespace}: {self.field} {there}, and declared as {self.declared!r}"


def named(environment: str, separator: str, family: str, tenant: str | None = None) -> str:
    """The name of a family's namespace in an environment, or of a tenant's own."""
    own = (checked_name("tenant", tenant),) if tenant else ()
    return separator.join((environment, family, *own))


def declared(
    specs: Specs, environment: str, separator: str, *, tenant: str | None = None, families: Iterable[str] = ()
) -> list[Namespace]:
    """The namespaces of an environment, of these families or of all; a tenant's own, if one is named."""
    asked = tuple(families) or tuple(specs.families)
    if strange := [family for family in asked if family not in specs.families]:
        raise ValidationFailure(
            f"there is no family {strange[0][:80]!r}",
            code=Code.NOT_FOUND,
            hint=f"declared are: {', '.join(specs.families)}",
        )
    return [
        _namespace(specs.families[family], family, environment, named(environment, separator, family, tenant), tenant)
        for family in dict.fromkeys(asked)
    ]


def _namespace(spec: Family, family: str, environment: str, name: str, tenant: str | None) -> Namespace:
    whose = f" For the tenant {tenant} alone." if tenant else ""
    return Namespace(
        name=name,
        description=f"{spec.says}{whose}",
        retention=spec.retention,
        data=identity(environment, family, tenant)
        | {"owner": spec.owner, "contact": spec.contact, "encryption": spec.encryption},
    )


def identity(environment: str, family: str, tenant: str | None) -> dict[str, str]:
    """Which namespace it is, as its data says it."""
    return dict(zip(IDENTITY, (environment, family, tenant or ""), strict=True))


def differences(wanted: Namespace, found: Found | None) -> list[Drift]:
    """Every field in which a namespace is not as declared."""
    if found is None:
        return [Drift(wanted.name, "namespace", wanted.name, None)]
    fields = {
        "description": (wanted.description, found.description),
        "retention": (days(wanted.retention), days(found.retention)),
        # what was never said, and what was taken back, are the same: data can be added to, but not removed
        **{key: (value, found.data.get(key, "")) for key, value in wanted.data.items()},
    }
    drifted = [Drift(wanted.name, key, due, there or None) for key, (due, there) in fields.items() if due != there]
    return drifted if found.usable else [Drift(wanted.name, "state", "registered", "deprecated or deleted"), *drifted]


def days(span: timedelta) -> str:
    """A retention as a person says it."""
    whole = span / timedelta(days=1)
    return f"{whole:g} day{'' if whole == 1 else 's'}"
