"""The configuration that a tap is given: the endpoint's own, with the credential in the places that it names."""

import copy
from collections.abc import Iterator
from typing import Any

import msgspec

from windrow.connectors.singer.config import ALL
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.telemetry.redaction import secret_by_name
from windrow.vault import Secret

_LOOKS_SECRET = 20
_HINT = "`fill` says where in tap_config the credential goes; docs/how-to/harvest-singer.md"


def filled(template: dict[str, Any], fill: tuple[str, ...], credential: Secret | None) -> tuple[bytes, list[Secret]]:
    """The configuration as JSON, and the secrets in it. Whoever takes it shows it to nobody but the tap."""
    if (credential is None) != (not fill):
        raise Fatal(
            "`fill` says where the credential goes, and there is none"
            if credential is None
            else "there is a credential, and nothing says where it goes",
            code=Code.CREDENTIAL_MISSING,
            hint=_HINT,
        )
    if credential is None:
        return msgspec.json.encode(template), []
    config = copy.deepcopy(template)
    known = [credential]
    for entry in fill:
        path, with_field, name = entry.partition(":")
        value: Any = _parts(credential, name) if with_field or entry == ALL else credential.reveal()
        known += [Secret(text) for text in _texts(value, named=entry != ALL)]
        if entry == ALL:
            config |= value
        else:
            _put(config, path.split("."), value)
    return msgspec.json.encode(config), known


def _parts(credential: Secret, name: str) -> Any:
    """A field of a credential that is a JSON object; all of it, without a name."""
    try:
        given = msgspec.json.decode(credential.reveal())
    except (msgspec.MsgspecError, RecursionError):
        given = None
    if not isinstance(given, dict) or (name and name not in given):
        # out of the `except`: the library's error may carry the value
        raise Fatal(
            f"the credential is no JSON object{f' with the field {name!r}' if name else ''}",
            code=Code.CREDENTIAL_MISSING,
            hint=_HINT,
        )
    return given[name] if name else given


def _put(config: dict[str, Any], path: list[str], value: Any) -> None:
    *way, last = path
    for name in way:
        below = config.setdefault(name, {})
        if not isinstance(below, dict):
            raise ValidationFailure(
                f"`fill` names {'.'.join(path)}, and {name} is no object in tap_config", code=Code.INVALID, hint=_HINT
            )
        config = below
    config[last] = value


def _texts(value: Any, *, named: bool) -> Iterator[str]:
    """The texts that are secret: those that were asked for one by one, that are called so, or that look like one."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, named=named or secret_by_name(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, named=named)
    elif isinstance(value, str) and (named or (len(value) >= _LOOKS_SECRET and "://" not in value)):
        yield value
