"""What one database holds, as records: itself, its schemas, its tables and views with all that belongs to them."""

from collections import defaultdict
from fnmatch import fnmatchcase
from typing import Any, Self

from windrow.connectors.postgres import place
from windrow.connectors.postgres.config import PostgresConfig
from windrow.connectors.postgres.place import At
from windrow.connectors.postgres.session import Row, Session
from windrow.postgres.queries import load

Q = load(__package__)

Record = dict[str, Any]

# the details of so many tables are asked for at once
_PORTION = 100


class Catalogue:
    """Reads on behind any place. `shut` are the schemas that should be read, and into which we may not look."""

    def __init__(self, session: Session, config: PostgresConfig, facts: Row, schemas: list[Row]) -> None:
        self._session, self._config, self._facts = session, config, facts
        self._schemas = [each for each in schemas if is_wanted(config, each["name"])]
        self._names = {each["oid"]: each["name"] for each in self._schemas if each["open"]}
        self.shut = [each["name"] for each in self._schemas if not each["open"]]
        self.moment = str(facts["moment"])

    @classmethod
    async def open(cls, session: Session, config: PostgresConfig) -> Self:
        """The database that the session is in."""
        return cls(session, config, await session.row(Q.database), await session.rows(Q.schemas))

    async def page(self, at: At, size: int) -> tuple[list[Record], At]:
        """Up to so many records, and the place behind them; at the END there are no more."""
        records: list[Record] = []
        while len(records) < size and at.step != place.END:
            found, at = await self._portion(at, min(size - len(records), _PORTION))
            records += found
        return records, at

    async def _portion(self, at: At, limit: int) -> tuple[list[Record], At]:
        match at.step:
            case place.DATABASE:
                return [{"kind": "database", **self._told(self._facts)}], At(at.database, place.SCHEMAS)
            case place.SCHEMAS:
                return self._schemas_behind(at, limit)
            case _:
                return await self._relations_behind(at, limit)

    def _schemas_behind(self, at: At, limit: int) -> tuple[list[Record], At]:
        rows = [each for each in self._schemas if each["oid"] > at.after][:limit]
        return [{"kind": "schema", **self._told(row)} for row in rows], _moved(at, rows, limit, place.RELATIONS)

    async def _relations_behind(self, at: At, limit: int) -> tuple[list[Record], At]:
        rows = await self._session.rows(
            Q.relations,
            after=at.after,
            schemas=list(self._names),
            partitions=self._config.partitions,
            limit=limit,
        )
        wanted = [row for row in rows if is_wanted(self._config, self._names[row["schema_oid"]], row["name"])]
        return await self._detailed(wanted), _moved(at, rows, limit, place.END)

    async def _detailed(self, rows: list[Row]) -> list[Record]:
        if not rows:
            return []
        relations = [row["oid"] for row in rows]
        columns = _grouped(await self._session.rows(Q.columns, relations=relations))
        keys = _grouped(await self._session.rows(Q.keys, relations=relations))
        lineage = _grouped(await self._session.rows(Q.lineage, relations=relations))
        ancestors = _grouped(await self._session.rows(Q.ancestors, relations=relations))
        return [
            {
                **self._told(row),
                "schema": self._names[row["schema_oid"]],
                "columns": columns[row["oid"]],
                "keys": keys[row["oid"]],
                "reads": lineage[row["oid"]],
                "ancestors": ancestors[row["oid"]],
            }
            for row in rows
        ]

    def _told(self, row: Row) -> Record:
        """A row without the server's numbers, which mean nothing to anybody else; and with its database."""
        said = {name: value for name, value in row.items() if name not in ("oid", "schema_oid", "moment")}
        return {**said, "database": self._facts["name"]}


def is_wanted(config: PostgresConfig, schema: str, name: str | None = None) -> bool:
    """Whether a schema, or a table in it, is to be harvested."""
    if name is not None:
        return not any(fnmatchcase(f"{schema}.{name}", glob) for glob in config.exclude)
    chosen = not config.schemas or any(fnmatchcase(schema, glob) for glob in config.schemas)
    return chosen and not any(fnmatchcase(schema, glob) for glob in config.exclude)


def _moved(at: At, rows: list[Row], limit: int, following: int) -> At:
    return At(at.database, at.step, rows[-1]["oid"]) if len(rows) == limit else At(at.database, following)


def _grouped(rows: list[Row]) -> defaultdict[int, list[Row]]:
    groups: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.pop("relation")].append(row)
    return groups
