"""The embedded PostgreSQL: how it is launched, asked and stopped."""

from collections.abc import Mapping
from pathlib import Path
from signal import Signals

from windrow.contracts.errors import Code, Fatal
from windrow.stack.cluster import Cluster
from windrow.stack.engine_user import EngineUser
from windrow.stack.leftovers import forget_stale_server
from windrow.stack.ports import LOOPBACK
from windrow.stack.process import Parting

CHECK_SECONDS = 5
DEFAULTS = {
    "max_connections": "200",
    # a million items and their words stay at hand; memory is taken as it is used
    "shared_buffers": "512MB",
    "max_wal_size": "4GB",
    "random_page_cost": "1.1",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # what clients send and store stays out of the log: no statements, no "Failing row contains …"
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}


class Postgres:
    """Listens on the loopback address only, and asks for a password.

    No Unix socket: its path would have to be short and reachable for two users; over TCP the home may be anywhere.
    """

    name = "postgres"
    # fast shutdown: sessions are ended, the data is flushed; then immediate: the next start recovers
    parting = Parting(Signals.SIGINT, (Signals.SIGQUIT, Signals.SIGKILL))

    def __init__(self, cluster: Cluster, port: int, settings: Mapping[str, str]) -> None:
        self._cluster = cluster
        self._settings = settings
        self._port = port
        self._password = ""

    @property
    def directory(self) -> Path:
        return self._cluster.data

    @property
    def user(self) -> EngineUser | None:
        return self._cluster.user

    @property
    def url(self) -> str:
        return database_url(self._port, self._password)

    async def prepare(self) -> None:
        forget_stale_server(self.name, self.directory)
        self._password = await self._cluster.prepare()

    def argv(self) -> list[str]:
        ours = {"listen_addresses": LOOPBACK, "port": str(self._port), "unix_socket_directories": ""}
        settings = {**DEFAULTS, **self._settings, **ours}
        program = str(self._cluster.install / "bin" / "postgres")
        return [program, "-D", str(self.directory), *(f"--{name}={value}" for name, value in settings.items())]

    async def check(self) -> str:
        try:
            return await server_version(self.url)
        except Exception as error:
            # libpq gives no code for a refused login, only the server's words
            if "password authentication failed" in str(error):
                raise _wrong_password() from error
            raise


def database_url(port: int, password: str) -> str:
    """Where the embedded PostgreSQL answers. No TLS to negotiate: nothing leaves the loopback address."""
    return f"postgresql://windrow:{password}@{LOOPBACK}:{port}/windrow?sslmode=disable"


async def server_version(url: str) -> str:
    """Log in as every client does, and answer the server's version."""
    import psycopg  # takes a while to load, which passes while the server starts

    connection = await psycopg.AsyncConnection.connect(url, connect_timeout=CHECK_SECONDS)
    async with connection:
        return connection.info.parameter_status("server_version") or "unknown"


def _wrong_password() -> Fatal:
    return Fatal(
        "PostgreSQL refuses the password that the home remembers",
        code=Code.UNAUTHORIZED,
        hint="remove postgres.password from the home: the next start makes a new one",
    )
