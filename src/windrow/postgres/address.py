"""Where the database answers, as an operator has written it down."""

import psycopg
from psycopg.conninfo import conninfo_to_dict

from windrow.contracts.errors import Code, Fatal


def checked_address(url: str) -> str:
    """The URL, if a client can read it. What is wrong with it is not repeated: a password stands in it."""
    try:
        conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # with nothing chained: the library's error shows the whole of it
        raise Fatal(
            "the address of the database cannot be read",
            code=Code.CONFIGURATION,
            hint="write postgresql://USER:PASSWORD@HOST:PORT/DATABASE in WINDROW_DATABASE_URL, with odd characters of a password as %XX",
        ) from None
    return url
