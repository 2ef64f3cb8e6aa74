"""The command lines of the engines."""

import json
from itertools import pairwise
from pathlib import Path
from signal import Signals

from windrow.stack.cluster import Cluster
from windrow.stack.config import EmbeddedTemporal
from windrow.stack.engine_user import EngineUser
from windrow.stack.postgres import Postgres, database_url
from windrow.stack.process import command
from windrow.stack.temporal import Temporal, TemporalPorts

CLUSTER = Cluster(Path("/home"), Path("/home/postgres"), Path("/install"), user=None)


def test_postgres_listens_on_loopback_without_a_socket_whatever_its_settings_say() -> None:
    argv = Postgres(CLUSTER, 4711, {"listen_addresses": "*", "unix_socket_directories": "/tmp"}).argv()

    assert "--listen_addresses=127.0.0.1" in argv
    assert "--unix_socket_directories=" in argv
    assert "--port=4711" in argv


def test_a_setting_of_ours_overrides_the_default() -> None:
    argv = Postgres(CLUSTER, 4711, {"max_connections": "7"}).argv()

    assert [part for part in argv if "max_connections" in part] == ["--max_connections=7"]


def test_temporal_shares_a_queue_fairly_between_tenants() -> None:
    config = EmbeddedTemporal(namespaces=("meta",))
    argv = Temporal(Path("/home/temporal"), Path("/bin/temporal"), None, TemporalPorts(1, 2, 3, 4), config).argv()

    given = [after for flag, after in pairwise(argv) if flag == "--dynamic-config-value"]
    assert "matching.enableFairness=true" in given
    assert "matching.useNewMatcher=true" in given
    assert "matching.numTaskqueueReadPartitions=1" in given


def test_temporal_names_its_database_without_a_path_since_sqlite_reads_more_into_one() -> None:
    ports = TemporalPorts(1, 2, 3, 4)
    argv = Temporal(Path("/what?/#100%"), Path("/bin/temporal"), None, ports, EmbeddedTemporal()).argv()

    assert argv[argv.index("--db-filename") + 1] == "temporal.db"


def test_the_launcher_is_told_whom_to_become_and_when_to_die() -> None:
    user = EngineUser("windrow", 998, 997)

    *_, orders = command(["/bin/engine", "-x"], user=user, cwd=Path("/data"), dying=Signals.SIGINT)

    told = json.loads(orders)
    assert (told["argv"], told["cwd"], told["uid"], told["gid"]) == (["/bin/engine", "-x"], "/data", 998, 997)
    assert told["signal"] == Signals.SIGINT


def test_an_engine_inherits_nothing_of_our_environment() -> None:
    *_, orders = command(["/bin/engine"], user=None, cwd=Path("/data"), dying=Signals.SIGINT)

    assert json.loads(orders)["env"].keys() == {"PATH", "HOME", "LC_ALL"}


def test_the_database_url_never_leaves_the_loopback_address() -> None:
    assert database_url(4711, "pw") == "postgresql://windrow:pw@127.0.0.1:4711/windrow?sslmode=disable"
