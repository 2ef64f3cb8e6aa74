"""The cursor of `files`: which pass over the tree, and the last path that it has listed."""

import base64
from typing import Annotated, Any, Self

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from windrow.connectors.files.naming import escaped, unescaped
from windrow.connectors.files.record import TOP
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.page import Cursor

Count = Annotated[int, Meta(ge=0, lt=1 << 40)]
_PASS = 1 << 40
# a path of control characters alone is four times as long when it is escaped, and cursors have a bound
_LONGEST_WRITTEN_OUT = 16 * 1024
_PACKED = "\\="

Parts = tuple[bytes, ...]


class Place(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Where a pass stands. `missed` says that something could not be listed, `held` how much the pass before listed."""

    number: Annotated[int, Meta(ge=1, lt=1 << 22)] = field(default=1, name="pass")
    after: str | None = None
    seen: Count = 0
    missed: bool = False
    # the inode of the top; not the device, which differs between two machines that mount the same share
    top: str | None = None
    held: Count = 0

    @classmethod
    def of(cls, cursor: Cursor) -> Self:
        """From a cursor that we gave out; None is the beginning."""
        try:
            place = msgspec.convert({} if cursor is None else cursor, cls)
            place.parts()
        except (msgspec.ValidationError, ValidationFailure) as error:
            raise Fatal(
                f"the cursor is none of this connector's: {error}", code=Code.CORRUPTED, hint="reset the cursor"
            ) from error
        return place

    def cursor(self) -> Cursor:
        """As JSON."""
        said: dict[str, Any] = msgspec.to_builtins(self)
        return {"pass": self.number, **said}

    def parts(self) -> Parts | None:
        """The last path listed, in parts; empty for the top itself, None where nothing was listed yet."""
        if self.after is None:
            return None
        return () if self.after == TOP else tuple(_read(self.after).split(b"/"))

    def behind(self, path: bytes, listed: int) -> Self:
        """After a page whose last entry was `path`."""
        return replace(self, after=_written(path) if path else TOP, seen=self.seen + listed)

    def next_pass(self) -> Self:
        """Before the next pass. The top itself is not counted among what it holds."""
        return type(self)(number=self.number + 1, held=max(self.seen - 1, 0))

    def words(self) -> str:
        """For a person."""
        return f"pass {self.number}" + (f", behind {self.after[:500]}" if self.after else "")

    @property
    def progress(self) -> int:
        return self.number * _PASS + self.seen


def _written(path: bytes) -> str:
    text = escaped(path)
    return text if len(text) <= _LONGEST_WRITTEN_OUT else _PACKED + base64.b64encode(path).decode()


def _read(text: str) -> bytes:
    if not text.startswith(_PACKED):
        return unescaped(text)
    try:
        return base64.b64decode(text.removeprefix(_PACKED), validate=True)
    except ValueError:
        raise ValidationFailure("what should be a packed path is none") from None
