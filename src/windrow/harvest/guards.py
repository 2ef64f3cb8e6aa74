"""What ends a run on a broken source, before it goes on for ever or fills the catalog with nonsense."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.identity import canonical
from windrow.contracts.page import Cursor, Page

LARGEST_CURSOR = 64 * 1024
# D15: more than so many, and more than so large a part of all
TOLERATED, TOLERATED_PART = 3, 0.10
_SAME_PAGES = 3
_EMPTY_PAGES = 250
_HINT = "look at the source or the connector: `windrow connectors check` shows where it breaks its promise"


class Guards:
    """Watches the pages of one slice go by."""

    def __init__(self, start: Cursor, progress: Callable[[Cursor], int | None]) -> None:
        self._progress = progress
        self._furthest = progress(start)
        self._seen = {hashlib.sha256(written_cursor(start)).digest()}
        self._times: Counter[bytes] = Counter()
        self._empty = 0

    def check(self, page: Page, content: Sequence[str]) -> None:
        """Refuse a cursor that stands, returns or goes back, a page that comes again and again, and endless emptiness."""
        text = written_cursor(page.cursor)
        if not page.last:
            self._forward(page, text)
        self._repeats(page, content)

    def _forward(self, page: Page, text: bytes) -> None:
        digest = hashlib.sha256(text).digest()
        if digest in self._seen:
            raise _broken(f"the cursor after {page.position} is one that was there before: the pages would never end")
        self._seen.add(digest)
        reached = self._progress(page.cursor)
        if reached is not None and self._furthest is not None and reached < self._furthest:
            raise _broken(f"the cursor after {page.position} goes back, from {self._furthest} to {reached}")
        self._furthest = reached if reached is not None else self._furthest

    def _repeats(self, page: Page, content: Sequence[str]) -> None:
        known_as = hashlib.sha256("".join(content).encode()).digest() if content else b""
        self._times[known_as] += bool(content)
        self._empty = 0 if page.records else self._empty + 1
        if page.last:
            return
        if self._times[known_as] > _SAME_PAGES:
            raise _broken(f"the source gives the same page again and again ({page.position})")
        if self._empty >= _EMPTY_PAGES:
            raise _broken(f"{_EMPTY_PAGES} pages in a row were empty ({page.position})")


def written_cursor(cursor: Cursor) -> bytes:
    """The cursor as JSON; refused if it is none, or too large."""
    try:
        text = canonical(cursor)
        # what JSON cannot say comes back as something else, and so would the pages behind it
        faithful = msgspec.json.decode(text) == cursor
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise _broken(f"the connector's cursor is not JSON: {error}"[:300]) from None
    if not faithful:
        raise _broken("the connector's cursor is not JSON: it would not come back as it was given")
    if len(text) > LARGEST_CURSOR:
        raise _broken(f"the connector's cursor has {len(text)} bytes; {LARGEST_CURSOR} are the most")
    return text


def is_too_much(fetched: int, refused: int) -> ValidationFailure | None:
    """D15: where so much is refused, it is the source or the mapping that is broken, not the records."""
    if refused <= TOLERATED or refused <= TOLERATED_PART * fetched:
        return None
    return ValidationFailure(
        f"{refused} of {fetched} records were refused: the source or the mapping is broken",
        code=Code.INVALID,
        hint="`windrow quarantine list` shows the reasons; the last page was not published, the cursor stays before it",
    )


def _broken(message: str) -> ValidationFailure:
    return ValidationFailure(message, code=Code.INVALID, hint=_HINT)
