"""The operator's list: which credentials the endpoints of which tenant may name. What is not listed is refused.

An endpoint's author is not the operator. Without this list `env:DATABASE_URL`, sent to a server of the author's own,
would be the perfect theft.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.vault.reference import Reference, proper_name

TENANT = "{tenant}"
_WORD = re.compile(r"(?:(?P<tenant>[^=:]+)=)?(?P<scheme>[a-z][a-z0-9+-]*):(?P<pattern>\S+)")


@dataclass(frozen=True, slots=True)
class Permitted:
    """A reference that a tenant may name. `grounds` are the directories that a file it leads to must lie in."""

    reference: Reference
    tenant_id: str
    grounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grant:
    """One entry of the list: a pattern, for one tenant or for all (`tenant_id` None)."""

    scheme: str
    pattern: str
    tenant_id: str | None = None

    @classmethod
    def parse(cls, word: str) -> "Grant":
        """`SCHEME:PATTERN`, or `TENANT=SCHEME:PATTERN` for one tenant alone."""
        found = _WORD.fullmatch(word)
        if found is None:
            raise _malformed(word, "it is not SCHEME:PATTERN or TENANT=SCHEME:PATTERN")
        if wrong := _fault(found["scheme"], found["pattern"]):
            raise _malformed(word, wrong)
        tenant = found["tenant"]
        try:
            return cls(found["scheme"], found["pattern"], checked_name("tenant", tenant) if tenant else None)
        except ValidationFailure as error:
            raise _malformed(word, error.message) from None

    def for_tenant(self, tenant_id: str) -> str | None:
        """The pattern as it reads for this tenant, or None if it is another's."""
        return self.pattern.replace(TENANT, tenant_id) if self.tenant_id in (None, tenant_id) else None


class Grants:
    """The whole list."""

    def __init__(self, grants: Iterable[Grant]) -> None:
        self._grants = tuple(grants)

    @classmethod
    def parse(cls, words: Iterable[str]) -> "Grants":
        """The list from its words, as the setting has them."""
        return cls([Grant.parse(word) for word in words])

    def permit(self, reference: Reference, tenant_id: str) -> Permitted:
        """The reference as permitted to the tenant, or the refusal."""
        checked_name("tenant", tenant_id)
        patterns = [
            pattern
            for grant in self._grants
            if grant.scheme == reference.scheme
            if (pattern := grant.for_tenant(tenant_id)) and matches(pattern, reference.name)
        ]
        if not patterns:
            raise Fatal(
                f"tenant {tenant_id} may not use the credential {reference}",
                code=Code.FORBIDDEN,
                hint="the operator allows it with WINDROW_CREDENTIALS_ALLOWED",
            )
        return Permitted(reference, tenant_id, tuple(ground(pattern) for pattern in patterns))


def matches(pattern: str, name: str) -> bool:
    """Whether the name fits: segment by segment, so that `*` never crosses a `/`."""
    wanted, given = pattern.split("/"), name.split("/")
    return len(wanted) == len(given) and all(map(fnmatchcase, given, wanted))


def ground(pattern: str) -> str:
    """The directory that the operator spelled out: everything before the last segment and before the first `*`."""
    folders = pattern.split("/")[:-1]
    literal = next((index for index, segment in enumerate(folders) if "*" in segment), len(folders))
    return "/".join(folders[:literal]) or "/"


def _fault(scheme: str, pattern: str) -> str | None:
    """What is wrong with a pattern, if anything."""
    bare = pattern.replace(TENANT, "tenant")
    if re.search(r"[?\[\]{}#]|\*\*", bare):
        return "only * and {tenant} have a meaning in it, and a pattern covers all fields"
    # `a_*` for tenant a also fits what belongs to a tenant called a_b
    if any(TENANT in segment and "*" in segment for segment in pattern.split("/")):
        return "{tenant} and * stand in one segment, which would open other tenants' credentials"
    if not proper_name(scheme, bare.replace("*", "x")):
        return "no credential can have such a name"
    return None


def _malformed(word: str, reason: str) -> Fatal:
    return Fatal(
        f"the allowed credential {word!r} is malformed: {reason}",
        code=Code.CONFIGURATION,
        hint="write for example env:GITHUB_* or acme=aws-sm:windrow/{tenant}/* (docs/how-to/credentials.md)",
    )
