"""Whose a bucket is: bucket and prefix lead to a tenant, and a tenant to the store that its jobs' objects lie in.

    gs://talks=acme                 the whole bucket is acme's
    gs://shared/media/acme=acme/av  what lies below media/acme is of acme's project av

What is not told so lies in the installation's own store, a folder for each tenant. An unmapped bucket is nobody's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import Scope, checked_name
from windrow.objects import Objects, ObjectStore


@dataclass(frozen=True, slots=True)
class Place:
    """A bucket, or what lies below a prefix of it (empty, or ending with a slash)."""

    bucket: str
    prefix: str = ""

    @classmethod
    def of(cls, url: str) -> "Place":
        """`gs://BUCKET/PREFIX` or `s3://…`; a store on this machine is called `windrow`, as its events say."""
        parts = urlsplit(url)
        if not parts.netloc:
            return cls("windrow")
        prefix = parts.path.strip("/")
        return cls(parts.netloc, f"{prefix}/" if prefix else "")


@dataclass(frozen=True, slots=True)
class Placed:
    """An object of a tenant's: its key in the tenant's own store."""

    scope: Scope
    key: str


@dataclass(frozen=True, slots=True)
class Told:
    """One word of the operator's: a bucket's URL, and whose it is."""

    url: str
    scope: Scope


def told(word: str, project: str) -> Told:
    """`URL=TENANT` or `URL=TENANT/PROJECT`; without a project, the one given."""
    url, _, owner = word.rpartition("=")
    tenant, _, own_project = owner.partition("/")
    try:
        scope = Scope(tenant, own_project or project)
    except ValidationFailure as error:
        raise _maps_nothing(word, error.message) from None
    if not url:
        raise _maps_nothing(word, "nothing is before the `=`")
    return Told(url, scope)


def _maps_nothing(word: str, why: str) -> Fatal:
    return Fatal(
        f"{word[:120]!r} maps nothing to a tenant: {why}",
        code=Code.CONFIGURATION,
        hint="write gs://BUCKET/PREFIX=TENANT or gs://BUCKET=TENANT/PROJECT (WINDROW_MEDIA_PLACES)",
    )


class Places:
    """Every place that media jobs lie in. `given` are the ones that belong to one tenant each."""

    def __init__(
        self,
        objects: Objects,
        own: Place,
        project: str,
        given: Mapping[Place, tuple[Scope, ObjectStore]] | None = None,
    ) -> None:
        self._objects, self._own, self._project = objects, own, project
        # the longest prefix first: what lies deeper is the narrower word
        self._given = sorted((given or {}).items(), key=lambda item: -len(item[0].prefix))
        self._stores = dict((given or {}).values())

    def find(self, bucket: str, name: str) -> Placed | None:
        """Whose object this is; None: nobody's that we know of."""
        for place, (scope, _) in self._given:
            if place.bucket == bucket and name.startswith(place.prefix):
                return Placed(scope, name.removeprefix(place.prefix))
        if bucket != self._own.bucket or not name.startswith(self._own.prefix):
            return None
        tenant, slash, key = name.removeprefix(self._own.prefix).partition("/")
        return Placed(Scope(tenant, self._project), key) if slash and _is_name(tenant) else None

    def store(self, scope: Scope) -> ObjectStore:
        """Where the objects of this tenant's media jobs lie."""
        return self._stores.get(scope) or self._objects.for_tenant(scope.tenant_id)

    def name(self, scope: Scope, key: str) -> tuple[str, str]:
        """Bucket and name of an object, as an event about it says them."""
        for place, (owner, _) in self._given:
            if owner == scope:
                return place.bucket, place.prefix + key
        return self._own.bucket, f"{self._own.prefix}{scope.tenant_id}/{key}"

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Those that have a place of their own."""
        return tuple(self._stores)


def _is_name(tenant: str) -> bool:
    try:
        return bool(checked_name("tenant", tenant))
    except ValidationFailure:
        return False
