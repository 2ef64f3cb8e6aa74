"""Somebody's Postgres server: databases and a login of their own on the server of this test run."""

import secrets
from typing import Any

import psycopg
from httpx2 import URL

_CLEAR = """
DO $$ DECLARE named name; BEGIN
  FOR named IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
    EXECUTE format('DROP SCHEMA %I CASCADE', named);
  END LOOP;
END $$;
CREATE SCHEMA public;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""


class Estate:
    """`estate.sql("shop", "CREATE TABLE …")`; everything is gone with `close`."""

    def __init__(self, server_url: str, *databases: str) -> None:
        self._url = URL(server_url)
        self.mark = f"e{secrets.token_hex(4)}"
        self.user, self.password = f"{self.mark}_harvester", f"pg-canary-{secrets.token_hex(8)}"
        self._owners = [self.user]
        self._databases: list[str] = []
        # a member of it, the owner sees its sessions
        self.sql(
            None,
            f"CREATE ROLE {self.user} LOGIN PASSWORD '{self.password}'; GRANT {self.user} TO CURRENT_USER WITH SET TRUE",
        )
        self._kept = databases
        for name in databases:
            self.create(name)

    def name(self, database: str) -> str:
        """What the server calls it: the test run's other databases are none of ours."""
        return f"{self.mark}_{database}"

    def create(self, database: str, how: str = "") -> None:
        self._databases.append(database)
        self.sql(None, f'CREATE DATABASE "{self.name(database)}" {how}')

    def drop(self, database: str) -> None:
        self._databases.remove(database)
        self.sql(None, f'DROP DATABASE "{self.name(database)}" WITH (FORCE)')

    def clear(self) -> None:
        """The databases that it began with, empty: that is sooner done than to make new ones."""
        for database in [each for each in self._databases if each not in self._kept]:
            self.drop(database)
        for database in self._kept:
            self.sql(database, _CLEAR)
            self.sql(None, f'GRANT CONNECT ON DATABASE "{self.name(database)}" TO PUBLIC')

    def role(self, name: str) -> str:
        """A role that owns things."""
        self._owners.append(f"{self.mark}_{name}")
        self.sql(None, f"CREATE ROLE {self._owners[-1]}; GRANT {self._owners[-1]} TO CURRENT_USER WITH SET TRUE")
        return self._owners[-1]

    def sql(self, database: str | None, statements: str) -> list[tuple[Any, ...]]:
        """As the owner; what the last statement answers."""
        path = self._url.path if database is None else f"/{self.name(database)}"
        with psycopg.connect(str(self._url.copy_with(path=path)), autocommit=True) as connection:
            cursor = connection.execute(statements.encode())
            return cursor.fetchall() if cursor.description else []

    @property
    def door(self) -> str:
        return f"{self._url.host}:{self._url.port}"

    def config(self, first: str, **more: Any) -> dict[str, Any]:
        """As an endpoint would hold it."""
        return {
            "host": self._url.host,
            "port": self._url.port,
            "user": self.user,
            "database": self.name(first),
            "databases": [f"{self.mark}_*"],
            "tls": "none",
            **more,
        }

    def close(self) -> None:
        for database in list(self._databases):
            self.drop(database)
        for role in self._owners:
            self.sql(None, f"DROP ROLE {role}")
