"""`windrow kv`: the semantic store, from a shell."""

import json as encoding
import uuid
from typing import Annotated

import typer

from windrow import kv as store
from windrow.app.compose import opened
from windrow.cli import show
from windrow.cli.frame import Json, Project, Tenant, command, operator, scope, standard_input
from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.keys import Key
from windrow.contracts.scope import Scope
from windrow.settings import read

kv = typer.Typer(help="The semantic store: versioned values with a purpose.", no_args_is_help=True)

Path = Annotated[
    str, typer.Argument(metavar="KEY", help="A path such as `demo/greeting`, or a whole key `tenant/…/project/…/…`.")
]
Request = Annotated[
    str | None, typer.Option("--request-id", help="Names this write: the same one again is answered, not repeated.")
]


def named(within: Scope, path: str) -> Key:
    """The key of a path in the scope; a whole key names its own."""
    return Key.parse(path) if path.startswith("tenant/") else Key(within, path)


@kv.command("get")
@command
async def get(path: Path, tenant: Tenant = None, project: Project = None, json: Json = False) -> None:
    """Show an entry: its value, version, writer and semantics."""
    settings = read()
    key = named(scope(settings, tenant, project), path)
    async with opened(settings) as app:
        found = await store.get(app.database, key)
    if found is None:
        raise ValidationFailure(f"{key} is not there", code=Code.NOT_FOUND, hint="`windrow kv list` shows what is")
    (show.document if json else show.pairs)(found.document())


@kv.command("put")
@command
async def put(
    path: Path,
    value: Annotated[str, typer.Argument(help="The value, as JSON; `-` reads it from standard input.")],
    expect: Annotated[int, typer.Option(help="The version that is to be replaced; 0: nothing may be there.")] = 0,
    purpose: Annotated[store.Purpose, typer.Option(help="What the entry is for.")] = store.Purpose.ANNOTATION,
    ttl: Annotated[int | None, typer.Option(help="Seconds until it runs out.")] = None,
    spec_ref: Annotated[str | None, typer.Option(help="The spec that this write follows.")] = None,
    request_id: Request = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Write a value over the version that you have seen."""
    settings = read()
    key = named(scope(settings, tenant, project), path)
    parsed = parse(value)
    async with opened(settings) as app:
        outcome = await store.put(
            app.database,
            key,
            parsed,
            expected_version=expect,
            request_id=request_id or uuid.uuid4().hex,
            semantics=store.Semantics(purpose, producer="cli", ttl_seconds=ttl),
            writer=store.Writer("meta-api", "kv"),
            spec_ref=spec_ref,
            actor=operator(),
        )
    tell(key, outcome, json)


@kv.command("delete")
@command
async def delete(
    path: Path,
    expect: Annotated[int, typer.Option(help="The version that is to be deleted.")],
    request_id: Request = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Delete the version that you have seen; the next write's version is above it."""
    settings = read()
    key = named(scope(settings, tenant, project), path)
    async with opened(settings) as app:
        outcome = await store.delete(
            app.database,
            key,
            expected_version=expect,
            request_id=request_id or uuid.uuid4().hex,
            writer=store.Writer("meta-api", "kv"),
            actor=operator(),
        )
    tell(key, outcome, json)


@kv.command("list")
@command
async def entries(
    prefix: Annotated[str, typer.Argument(help="Only keys whose path begins with this.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many at the most.")] = 100,
    after: Annotated[str | None, typer.Option(help="Only keys behind this one: the next page.")] = None,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """List entries by key; values of cursors and checkpoints are shown as fingerprints."""
    settings = read()
    within = scope(settings, tenant, project)
    async with opened(settings) as app:
        fingerprints = await store.Fingerprints.load(app.database, within.tenant_id)
        async with app.database.tenant(within.tenant_id) as tx:
            found = await store.entries(tx, within, prefix, after=named(within, after) if after else None, limit=limit)
    rows = [
        {
            "path": entry.key.path,
            "version": entry.version,
            "purpose": entry.semantics.purpose,
            "value": fingerprints.of(entry.value) if entry.semantics.purpose in store.HIDDEN else entry.value,
            "last_writer": entry.last_writer,
            "updated_at": entry.updated_at,
            "expires_at": entry.expires_at,
        }
        for entry in found.entries
    ]
    if json:
        show.document(rows)
    else:
        show.table(
            rows, list(rows[0]) if rows else (), empty="Nothing is stored there yet: `windrow kv put KEY VALUE`."
        )


def parse(value: str) -> object:
    """The value as JSON, or what is wrong with it; `-` reads it from standard input."""
    try:
        return encoding.loads(standard_input() if value == "-" else value)
    except (ValueError, RecursionError) as error:
        raise ValidationFailure(
            f"the value is not JSON: {error}",
            code=Code.INVALID_VALUE,
            hint="""quote it for the shell: '{"a": 1}', '"text"'""",
        ) from None


def tell(key: Key, outcome: store.Outcome, json: bool) -> None:
    """What became of the write; somebody else having been first is an error."""
    if isinstance(outcome, store.Stale):
        conflict = outcome.conflict(key)
        conflict.hint = f"`windrow kv get {key.path}` shows what is there; then --expect {outcome.version}"
        raise conflict
    answer = {"key": str(key), "outcome": type(outcome).__name__.lower(), "version": outcome.version}
    (show.document if json else show.pairs)(answer)
