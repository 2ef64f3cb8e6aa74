"""Do the parts of a definition agree? Each disagreement with the place where it is written."""

from collections.abc import Iterator

from windrow.connectors.rest.definition import AuthType, Definition, PagingType, Stream
from windrow.connectors.rest.parts import unprotected
from windrow.connectors.rest.paths import Path
from windrow.connectors.rest.templates import template

Place = tuple[str, ...]
_DEEPEST = 3


def disagreements(definition: Definition) -> Iterator[tuple[Place, str]]:
    """Everything that is wrong between the parts."""
    yield from _unprotected(definition)
    yield from _named_alike(definition)
    for name, stream in definition.streams.items():
        at = ("streams", name)
        yield from _family(definition, name, at)
        yield from _path(stream, at)
        yield from _incremental(stream, at)
        if definition.deletes == "listed" and stream.pagination.type is PagingType.PAGE:
            why = "a list by page number may skip what is there, which would then count as gone; use offset, or deletes: never"
            yield (*at, "pagination"), why
        for place, written in _texts(stream, at):
            yield from _known(definition, stream, place, written)


def _unprotected(definition: Definition) -> Iterator[tuple[Place, str]]:
    auth = definition.auth
    addresses: dict[Place, str | None] = {("base_url",): definition.base_url, ("auth", "token_url"): auth.token_url}
    for place, url in addresses.items():
        if auth.type is not AuthType.NONE and url and unprotected(url):
            yield place, "is not encrypted: a credential goes to https only, or to a private address"


def _family(definition: Definition, name: str, at: Place) -> Iterator[tuple[Place, str]]:
    above, parent = [name], definition.streams[name].parent
    while parent is not None:
        if parent not in definition.streams:
            yield (*at, "parent"), f"there is no stream {parent!r}"
            return
        above.append(parent)
        if above.count(parent) > 1 or len(above) > _DEEPEST:
            yield (*at, "parent"), f"more than {_DEEPEST} streams, one below the other"
            return
        parent = definition.streams[parent].parent
    if definition.streams[name].item is None and not definition.children(name):
        yield at, "nothing comes of it: it has no item, and is no parent"


def _path(stream: Stream, at: Place) -> Iterator[tuple[Place, str]]:
    plain = "".join(piece for piece in template(stream.path).pieces if isinstance(piece, str))
    if any(char in plain for char in "?#\\") or "://" in plain or ".." in plain.split("/"):
        yield (*at, "path"), "it is below base_url, without `..`; parameters belong to `params`"


def _incremental(stream: Stream, at: Place) -> Iterator[tuple[Place, str]]:
    asks = any(path.root == "since" for _, written in _texts(stream, at) for path in template(written).paths())
    if stream.incremental and not asks and stream.incremental.field is None:
        yield (*at, "incremental"), "it needs {since} among the params, or a field"
    if asks and stream.incremental is None:
        yield at, "{since} is there only for a stream that is incremental"


def _named_alike(definition: Definition) -> Iterator[tuple[Place, str]]:
    seen: dict[str, str] = {}
    for name, stream in definition.streams.items():
        if stream.item is None:
            continue
        first = seen.setdefault(stream.item.external_id, name)
        if first != name:
            place = ("streams", name, "item", "external_id")
            yield place, f"is that of {first}: one would overwrite the other; begin it with a word of its own"


def _texts(stream: Stream, at: Place) -> Iterator[tuple[Place, str]]:
    """Every expression of a stream, with its place."""
    yield (*at, "path"), stream.path
    for name, written in stream.params.items():
        yield (*at, "params", name), written
    if stream.when:
        yield (*at, "when"), stream.when
    if stream.incremental and stream.incremental.field:
        yield (*at, "incremental", "field"), stream.incremental.field
    for name in ("next", "more", "total"):
        if written := getattr(stream.pagination, name):
            yield (*at, "pagination", name), written
    if stream.item:
        for field, value in stream.item:
            yield from _in_field((*at, "item", field), value)


def _in_field(place: Place, value: object) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, tuple):
        yield from ((place, each) for each in value)
    elif isinstance(value, dict):
        yield from (((*place, name), each) for name, each in value.items())


def _known(definition: Definition, stream: Stream, place: Place, written: str) -> Iterator[tuple[Place, str]]:
    above = definition.streams.get(stream.parent or "")
    for path in template(written).paths():
        if path.root == "parent" and stream.parent is None:
            yield place, "there is no parent: the stream stands alone"
        if path.root == "grandparent" and (above is None or above.parent is None):
            yield place, "there is no grandparent"
        if path.root == "values" and (not path.steps or path.steps[0] not in definition.values):
            yield place, f"{path} is not among the values"


def kept_of_parent(definition: Definition, name: str) -> frozenset[Path]:
    """What a stream and those below it say of its parent: all of it that has to be remembered."""
    own = _paths(definition.streams[name], "parent")
    below = (_paths(definition.streams[child], "grandparent") for child in definition.children(name))
    return frozenset().union(own, *below)


def _paths(stream: Stream, root: str) -> set[Path]:
    return {path for _, written in _texts(stream, ()) for path in template(written).paths() if path.root == root}
