"""A value that is used and never shown."""

import hmac
import re
from collections.abc import Callable
from typing import Any, NoReturn, SupportsIndex, final

from windrow.contracts.errors import Code, ValidationFailure
from windrow.telemetry.redaction import PROCESS

SHOWN = "[secret]"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@final
class Document:
    """A text that secrets are parts of, out of sight until one is asked for. Only those become known as secrets."""

    __slots__ = ("reveal",)
    reveal: Callable[[], str]

    def __init__(self, text: str) -> None:
        # in a closure, as below
        self.reveal = lambda: text


@final
class Secret:
    """A credential. It shows itself as `[secret]` wherever it is printed; `reveal` is the one way to its value.

    It cannot be pickled, and no serializer knows it; a copy of it is itself. Two are compared in constant time.
    """

    __slots__ = ("_reveal",)
    _reveal: Callable[[], str]
    # a hash of the value would be one more place to guess it from
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: str) -> None:
        # looked for by hand: the error of a failed encoding would carry the whole value
        if _LONE_SURROGATE.search(value):
            raise ValidationFailure("a credential is not valid text", code=Code.INVALID_VALUE, hint="store it as UTF-8")
        PROCESS.know(value)
        # in a closure: what walks attributes (serializers, debuggers, `vars`) meets a function and not the value
        self._reveal = lambda: value

    def reveal(self) -> str:
        """The value, for the one call that needs it; keep it in no variable that outlives that call."""
        return self._reveal()

    def __repr__(self) -> str:
        return SHOWN

    def __str__(self) -> str:
        return SHOWN

    def __format__(self, spec: str) -> str:
        return SHOWN

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.reveal().encode(), other.reveal().encode())

    def __copy__(self) -> "Secret":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Secret":
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret is not to be pickled: pass its credential_ref and resolve it where it is used")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        self.__reduce__()
