"""Ordered SQL files, each applied once, under a lock: two processes that start together migrate once.

A file is never changed after it was released: its checksum is kept, and a difference stops the migration. A database
that knows a migration this code does not is newer than the code, and nothing is touched.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import psycopg
from psycopg import AsyncConnection

from windrow.contracts.errors import Code, Fatal, classify
from windrow.postgres.queries import load
from windrow.telemetry import emit

Q = load(__package__, "migrate.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file."""

    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Schema:
    """How far a database is, and what this code still has to apply."""

    applied: tuple[int, ...]
    pending: tuple[Migration, ...]


@cache
def known() -> tuple[Migration, ...]:
    """The migrations of this code, in order."""
    found = sorted(
        path.name for path in files(__package__).joinpath("migrations").iterdir() if path.name.endswith(".sql")
    )
    migrations = tuple(_read(name) for name in found)
    if [migration.number for migration in migrations] != list(range(1, len(found) + 1)):
        raise ValueError(f"migrations are not numbered 1, 2, 3 …: {found}")
    return migrations


def _read(file: str) -> Migration:
    number, _, name = file.removesuffix(".sql").partition("_")
    text = files(__package__).joinpath("migrations", file).read_text("utf-8")
    return Migration(int(number), name, text)


async def migrate(url: str) -> Schema:
    """Apply what is missing, as the owner; the schema as it was found and what was applied."""
    try:
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(Q.take_lock.text)
            try:
                await connection.execute(Q.prepare.text)
                schema = await _inspect(connection)
                for migration in schema.pending:
                    await _apply(connection, migration)
            finally:
                await connection.execute(Q.release_lock.text)
            return schema
    except psycopg.Error as error:
        raise classify(error) from error


async def inspect(url: str) -> Schema:
    """How far the database is; nothing is changed."""
    try:
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            return await _inspect(connection)
    except psycopg.Error as error:
        raise classify(error) from error


async def _inspect(connection: AsyncConnection) -> Schema:
    (there,) = await (await connection.execute(Q.is_prepared.text)).fetchone() or (False,)
    rows = await (await connection.execute(Q.applied.text)).fetchall() if there else []
    checksums: dict[int, str] = dict(rows)
    ours = {migration.number: migration for migration in known()}
    if newer := sorted(set(checksums) - set(ours)):
        raise Fatal(
            f"the database has migration {newer[-1]}, this code knows {len(ours)}",
            code=Code.SCHEMA_NEWER,
            hint="run a Windrow at least as new as the one that migrated this database",
        )
    for number, checksum in checksums.items():
        if ours[number].checksum != checksum:
            raise Fatal(
                f"migration {number:04} ({ours[number].name}) differs from the one that was applied",
                code=Code.CORRUPTED,
                hint="restore the file as it was released, and put the change into a migration of its own",
            )
    return Schema(tuple(sorted(checksums)), tuple(ours[number] for number in sorted(set(ours) - set(checksums))))


async def _apply(connection: AsyncConnection, migration: Migration) -> None:
    async with connection.transaction():
        await connection.execute(Q.search_here.text)
        await connection.execute(migration.text.encode())
        parameters = {"number": migration.number, "name": migration.name, "checksum": migration.checksum}
        await connection.execute(Q.remember.text, parameters)
    emit("database.migrated", number=migration.number, name=migration.name)
