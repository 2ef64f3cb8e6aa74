"""Which server answers."""

import psycopg
from psycopg import AsyncConnection

from windrow.contracts.errors import Code, Fatal, classify
from windrow.postgres import errors  # noqa: F401 - registers psycopg's exceptions with `classify`

OLDEST = 15


async def server_version(url: str) -> str:
    """The version of the server, such as `18.4`; one that is too old is refused."""
    try:
        async with await AsyncConnection.connect(url, autocommit=True) as connection:
            number = connection.info.server_version
    except psycopg.Error as error:
        raise classify(error) from error
    if number < OLDEST * 10_000:
        raise Fatal(
            f"the server is PostgreSQL {number // 10_000}, Windrow needs {OLDEST} or later",
            code=Code.CONFIGURATION,
            hint="upgrade it, or name another in WINDROW_DATABASE_URL",
        )
    return f"{number // 10_000}.{number % 10_000}"
