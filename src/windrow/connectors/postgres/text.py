r"""Text as the server sends it. In a database of the encoding SQL_ASCII names are bytes: one that is no UTF-8 becomes `\xHH`."""

from typing import Any

from psycopg import AsyncConnection
from psycopg.adapt import Buffer, Loader

_TEXTS = ("text", "name", "varchar", "bpchar", '"char"')


class _Forgiving(Loader):
    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "backslashreplace")


def forgiving(connection: AsyncConnection[Any]) -> None:
    """From here on no text of the server's is an error."""
    for name in _TEXTS:
        connection.adapters.register_loader(name, _Forgiving)
