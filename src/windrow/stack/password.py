"""The password of the embedded PostgreSQL: made by us, kept in the home for its owner only, known to the redaction."""

import secrets
from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.stack.disk import write_private
from windrow.telemetry.redaction import PROCESS

FILE = "postgres.password"


def is_kept(home: Path) -> bool:
    """Whether the home has a password."""
    return (home / FILE).exists()


def make_password() -> str:
    """A new one, of characters that need no quoting in SQL or in a URL."""
    return _known(secrets.token_urlsafe(24))


def keep_password(home: Path, password: str) -> None:
    """Put it where our own processes find it."""
    write_private(home / FILE, password + "\n")


def read_password(home: Path) -> str:
    """The one that is kept."""
    try:
        return _known((home / FILE).read_text().strip())
    except OSError as error:
        raise Fatal(
            f"the password of the embedded PostgreSQL cannot be read: {error}",
            code=Code.CREDENTIAL_MISSING,
            hint="run the command as the user that started the stack",
        ) from error


def _known(password: str) -> str:
    PROCESS.know(password)
    return password
