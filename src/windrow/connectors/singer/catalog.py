"""What a tap has: its streams, as its discovery tells; which of them are wanted, said in every way that taps listen to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from windrow.connectors.singer.config import Method, SingerConfig, StreamRules
from windrow.contracts.errors import Code, ValidationFailure

_GLOB = frozenset("*?[")
_SHOWN = 20

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Chosen:
    """The catalog for the tap, and the streams that it will give: each by all the names that messages may use for it."""

    document: bytes
    streams: tuple[frozenset[str], ...]
    # all of those names
    names: frozenset[str]
    # every stream is given as a whole at every run
    full: bool
    offered: int


def choose(discovered: bytes, config: SingerConfig) -> Chosen:
    """The catalog with the wanted streams selected, and no others."""
    catalog, entries = _read(discovered)
    chosen = [entry for entry in entries if config.wants(*_names(entry))]
    _must_be_there(config, entries, chosen)
    for entry in entries:
        _select(entry, config.rules_of(_name(entry)), wanted=any(entry is one for one in chosen))
    streams = tuple(_names(entry) for entry in chosen)
    return Chosen(
        document=msgspec.json.encode(catalog),
        streams=streams,
        names=frozenset[str]().union(*streams),
        full=all(_method(entry) == Method.FULL_TABLE for entry in chosen),
        offered=len(entries),
    )


def _read(discovered: bytes) -> tuple[dict[str, Any], list[Entry]]:
    try:
        catalog = msgspec.json.decode(discovered)
        entries = catalog["streams"]
        if all(isinstance(_name(entry), str) and isinstance(entry["schema"], dict) for entry in entries):
            return catalog, list(entries)
    except (msgspec.MsgspecError, RecursionError, LookupError, TypeError, AttributeError):
        pass
    raise ValidationFailure(
        "what the tap says of its streams (--discover) is no catalog",
        code=Code.INVALID,
        hint="a tap that has no discovery takes `selection=none`",
    )


def _must_be_there(config: SingerConfig, entries: list[Entry], chosen: list[Entry]) -> None:
    known = {name for entry in entries for name in _names(entry)}
    missing = [name for name in config.streams if not _GLOB & set(name) and name not in known]
    if missing or not chosen:
        what = f"no stream {missing[0]!r}" if missing else "no stream that is wanted"
        names = sorted(_name(entry) for entry in entries)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise ValidationFailure(
            f"the tap has {what}", code=Code.NOT_FOUND, hint=f"it has: {', '.join(names[:_SHOWN]) or 'none'}{more}"
        )


def _name(entry: Entry) -> Any:
    return entry.get("stream") or entry.get("tap_stream_id")


def _names(entry: Entry) -> frozenset[str]:
    return frozenset(name for name in (entry.get("stream"), entry.get("tap_stream_id")) if isinstance(name, str))


def _select(entry: Entry, rules: StreamRules, *, wanted: bool) -> None:
    """Say it as the metadata has it, and as the first taps had it: `selected` beside the schema and in it."""
    metadata = _Metadata(entry)
    stream = metadata.about()
    entry["selected"] = entry["schema"]["selected"] = stream["selected"] = wanted
    if not wanted:
        return
    kept = None if rules.fields is None else {*rules.fields, *_keys(entry, stream), *(rules.id or ())}
    for field, schema in _fields(entry):
        about = metadata.about("properties", field)
        if about.get("inclusion") != "unsupported":
            about["selected"] = schema["selected"] = kept is None or field in kept
    if rules.method:
        entry["replication_method"] = stream["replication-method"] = rules.method.value
    if rules.replication_key:
        entry["replication_key"] = stream["replication-key"] = rules.replication_key


def _keys(entry: Entry, stream: dict[str, Any]) -> Iterator[str]:
    """The fields without which a record has no name, or a stream no order."""
    for keys in (entry.get("key_properties"), stream.get("table-key-properties"), stream.get("view-key-properties")):
        yield from keys if isinstance(keys, list) else ()
    yield from filter(None, (entry.get("replication_key"), stream.get("replication-key")))


class _Metadata:
    """The metadata of a stream, by what they are about; made where there are none."""

    def __init__(self, entry: Entry) -> None:
        if not isinstance(entry.get("metadata"), list):
            entry["metadata"] = []
        self._all: list[Any] = entry["metadata"]
        self._known: dict[tuple[str, ...], dict[str, Any]] = {
            tuple(each["breadcrumb"]): each["metadata"]
            for each in self._all
            if isinstance(each, dict) and isinstance(each.get("metadata"), dict) and _is_path(each.get("breadcrumb"))
        }

    def about(self, *breadcrumb: str) -> dict[str, Any]:
        if breadcrumb not in self._known:
            self._known[breadcrumb] = {}
            self._all.append({"breadcrumb": list(breadcrumb), "metadata": self._known[breadcrumb]})
        return self._known[breadcrumb]


def _is_path(breadcrumb: Any) -> bool:
    return isinstance(breadcrumb, list) and all(isinstance(part, str) for part in breadcrumb)


def _fields(entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = entry["schema"].get("properties")
    for field, schema in (properties if isinstance(properties, dict) else {}).items():
        if isinstance(schema, dict):
            yield field, schema


def _method(entry: Entry) -> Any:
    stream = _Metadata(entry).about()
    return (
        stream.get("forced-replication-method") or stream.get("replication-method") or entry.get("replication_method")
    )
