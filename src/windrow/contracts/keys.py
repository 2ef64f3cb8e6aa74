"""The grammar of keys: `tenant/<tenant_id>/project/<project_id>/<path>`.

A key is at most 256 characters, lowercase, without white space; its path is segments of a-z 0-9 . _ : @ = + ~ - between
single slashes, none of them `.` or `..`. Identifiers of the outside world keep no such rules, so `Key.of` maps them:

    an identifier of 1 to 64 of these characters, without `~`   stands for itself
    any other                                                   <what is readable of it>~<hash of `identifier:` and it>
    a path that is too long even so                             <what is readable of it>~<hash of `path:` and it>

The hash is the first 32 hex digits of SHA-256. `~` is in a key only where something was hashed, so no identifier can
pass for the hash of another.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Self

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import Scope

LONGEST = 256
_LONGEST_IDENTIFIER = 64
_READABLE = 16
_HASHED = 32

_SEGMENT = re.compile(r"[a-z0-9._:@=+~-]+", re.ASCII)
_SHAPE = re.compile(r"tenant/(?P<tenant>[^/]+)/project/(?P<project>[^/]+)/(?P<path>.+)", re.DOTALL)
_UNREADABLE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Key:
    """A key that is known to keep the grammar."""

    scope: Scope
    path: str

    def __post_init__(self) -> None:
        if broken := _broken_rule(str(self), self.path):
            raise _refusal(str(self), broken)

    @classmethod
    def of(cls, scope: Scope, *identifiers: str) -> Self:
        """The key of these identifiers, whatever they are; what the grammar cannot hold is hashed."""
        path = "/".join(_segment(identifier) for identifier in identifiers)
        if len(_written(scope, path)) > LONGEST:
            path = _hashed(path, "path")
        return cls(scope, path)

    @classmethod
    def parse(cls, text: str) -> Self:
        """A key as somebody wrote it; refused with the rule that it breaks."""
        if len(text) > LONGEST:
            raise _refusal(text, _TOO_LONG)
        shape = _SHAPE.fullmatch(text)
        if broken := _broken_rule(text, shape["path"] if shape else None):
            raise _refusal(text, broken)
        assert shape, "a key without the shape breaks a rule"
        return cls(Scope(shape["tenant"], shape["project"]), shape["path"])

    def child(self, *identifiers: str) -> Self:
        """A key below this one."""
        return type(self)(self.scope, "/".join([self.path, *map(_segment, identifiers)]))

    def __str__(self) -> str:
        return _written(self.scope, self.path)


_TOO_LONG = f"a key is at most {LONGEST} characters"


def _broken_rule(text: str, path: str | None) -> str | None:
    segments = path.split("/") if path else []
    rules = {
        _TOO_LONG: len(text) <= LONGEST,
        "a key has no white space": not any(char.isspace() for char in text),
        "a key is lowercase": text == text.lower(),
        "a key is tenant/<tenant_id>/project/<project_id>/<path>": bool(path),
        "a path has no empty segment: one '/' between two, none at its ends": "" not in segments,
        "a path has no segment '.' or '..'": not {".", ".."}.intersection(segments),
        "a path has only a-z, 0-9 and . _ : @ = + ~ - between its '/'": all(map(_SEGMENT.fullmatch, segments)),
    }
    return next((rule for rule, kept in rules.items() if not kept), None)


def _refusal(text: str, rule: str) -> ValidationFailure:
    return ValidationFailure(
        f"key {text[:80]!r} is refused: {rule}",
        code=Code.INVALID_KEY,
        hint="an example: tenant/acme/project/main/harvest/github/cursor",
    )


def _written(scope: Scope, path: str) -> str:
    return f"tenant/{scope.tenant_id}/project/{scope.project_id}/{path}"


def _segment(identifier: str) -> str:
    if not identifier:
        raise ValidationFailure(
            "an identifier in a key is empty", code=Code.INVALID_KEY, hint="name what the key is about"
        )
    plain = _SEGMENT.fullmatch(identifier) and "~" not in identifier and identifier not in {".", ".."}
    return identifier if plain and len(identifier) <= _LONGEST_IDENTIFIER else _hashed(identifier, "identifier")


def _hashed(text: str, kind: str) -> str:
    # the kind goes into the hash: a path must not meet an identifier that happens to spell like it
    digest = hashlib.sha256(f"{kind}:{text}".encode("utf-8", "surrogatepass")).hexdigest()[:_HASHED]
    readable = _UNREADABLE.sub("-", text[:200].lower())[:_READABLE].strip("-")
    return f"{readable}~{digest}"
