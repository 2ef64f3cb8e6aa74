"""A credential that is replaced while harvests run is taken up at once."""

from datetime import UTC, datetime
from pathlib import Path

from tests.conftest import Said
from tests.fakes.github import GitHub
from tests.integration.connectors.github.switchboard import switchboard

from windrow.postgres import Database

NEW = "ghp_rotated9876543210fedcba"


async def test_a_credential_that_was_replaced_meanwhile_is_taken_up_at_once(
    hub: GitHub, database: Database, tmp_path: Path, said: Said
) -> None:
    secrets: dict[str, str] = {}
    async with switchboard(hub, database, tmp_path, secrets) as board:
        await board.harvest()  # it is remembered for a minute
        hub.account.add("tools")
        hub.tokens = {NEW: datetime.max.replace(tzinfo=UTC)}
        secrets["WINDROW_SECRET_TOKEN"] = NEW

        await board.harvest()

        assert [row["display_name"] for row in (await board.held()).values()] == ["acme/tools"]
    assert len(said.events("credential.refreshed")) == 1
    assert NEW not in "".join(said.raw)
