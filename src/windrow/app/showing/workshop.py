"""A source with flaws, read by a Singer tap: what cannot be an item is kept aside, and people are told."""

import sys
from importlib.resources import files
from pathlib import Path

from windrow import endpoints
from windrow.contracts.scope import Actor, Scope
from windrow.endpoints import Endpoint
from windrow.postgres import Database
from windrow.settings import Settings

ENDPOINT = "workshop"
TAP = "windrow-workshop"


def allowing(settings: Settings) -> Settings:
    """The settings under which the demo's own tap may be run, by the demo's tenant."""
    allowed = f"{settings.tenant}:{TAP}={_tap(settings.home)}"
    return settings.model_copy(update={"taps_allowed": (*settings.taps_allowed, allowed)})


async def source(database: Database, scope: Scope, actor: Actor) -> Endpoint:
    """The endpoint of the workshop; where it is already, that one."""
    wanted = Endpoint(scope=scope, endpoint_id=ENDPOINT, connector="singer", config={"tap": TAP})
    async with database.tenant(scope.tenant_id) as tx:
        return await endpoints.find(tx, scope, ENDPOINT) or await endpoints.add(tx, wanted, actor)


def _tap(home: Path) -> Path:
    """The tap as a program of its own: run by this Python, wherever that lies."""
    program = home.absolute() / "demo" / "tap"
    program.parent.mkdir(parents=True, exist_ok=True)
    text = files(__package__).joinpath("tap.py").read_text("utf-8")
    program.write_text(f"#!{sys.executable}\n{text}", "utf-8")
    program.chmod(0o755)
    return program
