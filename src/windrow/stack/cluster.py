"""PostgreSQL's data directory: made aside and put in place whole, checked before each start."""

import secrets
import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from windrow.contracts.errors import Code, Fatal
from windrow.stack.diagnose import why_not_started
from windrow.stack.disk import free_bytes, sync_directory, told_plainly
from windrow.stack.engine_user import EngineUser
from windrow.stack.password import is_kept, keep_password, make_password, read_password
from windrow.stack.place import own_directory
from windrow.stack.process import run
from windrow.stack.programs import POSTGRES_MAJOR
from windrow.telemetry import emit

LAYOUT = (
    "--username=postgres",
    "--auth=reject",  # until our own rules are in place
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--data-checksums",
    "--no-instructions",
)
# should a statement fail, it must not be logged: it holds the password
QUIET = ("--log_min_error_statement=panic", "--exit_on_error=on", "--log_checkpoints=off")


@dataclass(frozen=True, slots=True)
class Cluster:
    """The data directory, the programs that touch it, and the user they run as.

    What is not `durable` is not waited for until it has reached the disk, as with the server's own `fsync=off`.
    """

    home: Path
    data: Path
    install: Path
    user: EngineUser | None
    durable: bool = True

    async def prepare(self) -> str:
        """Make the data fit to be served, and answer the password of the login role."""
        with told_plainly(self.data):
            if not self.data.exists():
                return await self._create()
            self._check_version()
            if not is_kept(self.home):
                return await self._new_password(self.data, "new_password.sql")
        return read_password(self.home)

    async def _create(self) -> str:
        """All in a directory aside: wherever this dies, the next start begins again with another."""
        self._remove_unfinished()
        aside = own_directory(self.data.with_name(f"{self.data.name}.making-{secrets.token_hex(4)}"), self.user)
        try:
            await self._run("initdb", [*LAYOUT, *([] if self.durable else ["--no-sync"]), "-D", str(aside)], aside)
            (aside / "pg_hba.conf").write_text(_shipped("pg_hba.conf"))
            password = await self._new_password(aside, "bootstrap.sql")
            aside.rename(self.data)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
        sync_directory(self.data.parent)
        emit("engine_data.created", engine="postgres", directory=str(self.data))
        return password

    def _remove_unfinished(self) -> None:
        for unfinished in self.data.parent.glob(f"{self.data.name}.making-*"):
            shutil.rmtree(unfinished, ignore_errors=True)

    async def _new_password(self, data: Path, statements: str) -> str:
        """By a server in single-user mode, which asks nobody who they are."""
        password = make_password()
        stdin = _shipped(statements).replace(":password", password)
        fsync = f"--fsync={'on' if self.durable else 'off'}"
        await self._run("postgres", ["--single", "-D", str(data), fsync, *QUIET, "postgres"], data, stdin)
        keep_password(self.home, password)
        return password

    async def _run(self, program: str, arguments: list[str], data: Path, stdin: str | None = None) -> None:
        done = await run([str(self.install / "bin" / program), *arguments], user=self.user, cwd=data, stdin=stdin)
        if done.code != 0:
            raise why_not_started("postgres", done.output.splitlines(), data, room=free_bytes(data))

    def _check_version(self) -> None:
        try:
            found = (self.data / "PG_VERSION").read_text().strip()
        except FileNotFoundError as error:
            raise Fatal(
                f"{self.data} holds no PostgreSQL data",
                code=Code.CORRUPTED,
                hint="restore it from a backup, or move it away to begin with an empty database",
            ) from error
        if found != str(POSTGRES_MAJOR):
            raise Fatal(
                f"the data in {self.data} was written by PostgreSQL {found[:20]}, and this is PostgreSQL {POSTGRES_MAJOR}",
                code=Code.DATA_VERSION,
                hint=f"dump it with PostgreSQL {found[:20]} and load it here, or choose another home (WINDROW_HOME)",
            )


def _shipped(name: str) -> str:
    return (files("windrow.stack") / name).read_text()
