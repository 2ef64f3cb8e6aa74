"""Users and groups by name, as this machine knows them."""

import grp
import pwd
from collections.abc import Callable


class Owners:
    """Asked once for each number: the answer may come from far away."""

    def __init__(self) -> None:
        self._users: dict[int, str] = {}
        self._groups: dict[int, str] = {}

    def user(self, number: int) -> str:
        """The user's name; the number, where it has none."""
        return _known(number, self._users, lambda: pwd.getpwuid(number).pw_name)

    def group(self, number: int) -> str:
        """The group's name; the number, where it has none."""
        return _known(number, self._groups, lambda: grp.getgrgid(number).gr_name)


def _known(number: int, known: dict[int, str], ask: Callable[[], str]) -> str:
    if number not in known:
        try:
            name = ask()
        except (KeyError, OverflowError):
            name = ""
        known[number] = name if 0 < len(name) <= 256 and name.isprintable() else str(number)
    return known[number]
