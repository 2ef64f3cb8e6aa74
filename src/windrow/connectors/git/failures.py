"""What git's failures mean. Its messages are for people: they are shown, redacted, and never decided by."""

from windrow.contracts.errors import Code, Fatal, RetryableTransient, WindrowError, classify
from windrow.telemetry import redact

_LONGEST = 300


class GitFailed(Exception):
    """A command ended with a code that is no answer."""

    def __init__(self, command: str, code: int, complaint: str) -> None:
        self.command, self.code = command, code
        self.said = _shown(complaint)
        super().__init__(f"`git {command}` failed with {code}{f': {self.said}' if self.said else ''}")


def _shown(complaint: str) -> str:
    """The end of what it said, in one line, without secrets and control characters."""
    lines = [line.strip() for line in complaint.splitlines() if line.strip()]
    # what comes from the other side is the least of use and the least to be trusted
    own = [line for line in lines if not line.startswith(("remote:", "warning:"))] or lines
    text = "".join(char if char.isprintable() else "�" for char in redact(" ".join(own[-2:])))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@classify.register
def _(error: GitFailed) -> WindrowError:
    return Fatal(str(error), code=Code.CORRUPTED, hint="check the repository with `git fsck`")


def fetch_failed(error: GitFailed, url: str) -> RetryableTransient:
    """The other side was reached a moment ago, so whatever broke may well hold the next time."""
    return RetryableTransient(f"{url} could not be fetched: {error}", code=Code.NETWORK, hint="it is tried again later")


def hung(command: str, seconds: float) -> RetryableTransient:
    return RetryableTransient(
        f"`git {command}` did not end within {seconds:g} s",
        code=Code.TIMEOUT,
        hint="the repository is very large, or the other side hangs; harvest less of it, or try again later",
    )
