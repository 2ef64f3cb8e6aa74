"""Real repositories, made by the real git, with dates that are the same in every run."""

import os
import subprocess
from pathlib import Path

BEGIN = 1_600_000_000


class Workshop:
    """A repository that is being worked on; every commit is a minute after the one before."""

    def __init__(self, place: Path, *options: str) -> None:
        self.place = place
        self.clock = BEGIN
        place.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *args: str | bytes, stdin: bytes | None = None, author: str = "Ada <ada@example.org>") -> str:
        name, _, email = author.removesuffix(">").partition(" <")
        date = f"{self.clock} +0000"
        environment = {
            "PATH": os.defpath,
            "HOME": str(self.place),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
            "GIT_COMMITTER_DATE": date,
        }
        line = ["git", "-c", "protocol.file.allow=always", "-C", str(self.place), *args]
        done = subprocess.run(line, env=environment, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, (args, done.stderr)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str | bytes, content: str | bytes = "content\n") -> None:
        file = self.place / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "a change", author: str = "Ada <ada@example.org>") -> str:
        """Everything as it is now, as a commit; its SHA."""
        self.clock += 60
        self.git("add", "-A", author=author)
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message, author=author)
        return self.tip

    @property
    def tip(self) -> str:
        return self.git("rev-parse", "HEAD")
