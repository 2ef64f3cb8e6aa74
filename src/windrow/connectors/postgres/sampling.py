"""Rows for a preview: a few, of tables that can be read without running anybody's code, and each value cut short.

They are shown to whoever asked for the preview and are part of no item. How many is the endpoint's word (`preview_rows`).
"""

from psycopg import sql

from windrow.connectors.postgres.session import Row, Session
from windrow.postgres.queries import load

Q = load(__package__)

LONGEST_VALUE = 100
MOST_COLUMNS = 50
# up to so many rows a table is read from its beginning, and a larger one sampled
_FEW = 10_000
# the server samples whole pages, which may hold nothing: so it is asked for more than is wanted
_SPARE = 1000


async def sample(session: Session, schema: str, name: str, rows: int) -> list[Row]:
    """Some rows of a table; none where it is no table, or none of it may be shown."""
    tables = await session.rows(Q.shown_table, schema=schema, name=name)
    if not tables:
        return []
    columns = await session.rows(Q.shown_columns, table=tables[0]["oid"], limit=MOST_COLUMNS)
    if not columns:
        return []
    parts: dict[str, sql.Composable] = {
        "columns": sql.SQL(", ").join(map(_shown, columns)),
        "table": sql.Identifier(schema, name),
        "limit": sql.Literal(rows),
    }
    many = tables[0]["rows"]
    if many > _FEW:
        percent = sql.Literal(min(100.0, 100.0 * rows * _SPARE / many))
        found = await session.composed(Q.shown_sample, **parts, percent=percent)
        if found:
            return found
    return await session.composed(Q.shown_rows, **parts)


def _shown(column: Row) -> sql.Composed:
    query = Q.shown_bytes if column["is_bytes"] else Q.shown_text
    named = sql.Identifier(column["name"])
    return sql.SQL(query.text.decode()).format(column=named, longest=sql.Literal(LONGEST_VALUE))
