"""From a configuration to engines that can be launched: who runs them, where their files are, which ports they get."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windrow.stack.cluster import Cluster
from windrow.stack.config import EmbeddedPostgres, EmbeddedTemporal, StackConfig
from windrow.stack.copies import reachable_install, reachable_program
from windrow.stack.engine_user import EngineUser, engine_user
from windrow.stack.leftovers import end_leftovers
from windrow.stack.place import data_owner, engines_directory
from windrow.stack.postgres import Postgres
from windrow.stack.programs import postgres_install, temporal_program
from windrow.stack.temporal import Temporal, TemporalPorts


@dataclass(frozen=True, slots=True)
class Site:
    """Where the engines of one home live, and whom they run as."""

    config: StackConfig
    home: Path
    place: Path
    user: EngineUser | None

    @classmethod
    async def survey(cls, config: StackConfig, home: Path) -> "Site":
        """Find out; as root this may make an account, and a directory outside the home."""
        user = engine_user(config.engine_user)
        return cls(config, home, await engines_directory(home, user, config.system_directory), user)

    async def clear(self) -> None:
        """End what an earlier supervisor left running, so that its ports are free again."""
        patience = self.config.care.stop_timeout.total_seconds()
        for engine in (Postgres, Temporal):
            await end_leftovers(engine.name, self.place / engine.name, engine.parting, patience=patience)

    async def postgres(self, config: EmbeddedPostgres, ports: Mapping[str, int]) -> Postgres:
        data = self.place / Postgres.name
        user = data_owner(data, self.user)
        install = await reachable_install(postgres_install(config.install), user, self.config.system_directory)
        durable = config.settings.get("fsync") != "off"
        return Postgres(Cluster(self.home, data, install, user, durable), ports["postgres"], config.settings)

    async def temporal(self, config: EmbeddedTemporal, ports: Mapping[str, int]) -> Temporal:
        directory = self.place / Temporal.name
        user = data_owner(directory, self.user)
        program = await reachable_program(temporal_program(config.program), user, self.config.system_directory)
        return Temporal(directory, program, user, TemporalPorts.of(ports), config)


def wanted_ports(config: StackConfig) -> dict[str, int | None]:
    """The ports to be had, by name; None where any free one will do."""
    wanted: dict[str, int | None] = {}
    if isinstance(config.postgres, EmbeddedPostgres):
        wanted["postgres"] = config.postgres.port
    if isinstance(config.temporal, EmbeddedTemporal):
        wanted |= {"temporal": config.temporal.port, "temporal_ui": config.temporal.ui_port}
        wanted |= {"temporal_http": None, "temporal_metrics": None}
    return wanted
