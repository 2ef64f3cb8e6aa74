"""Who may see and do what, for every address of the console: generated from the addresses themselves."""

import re
from urllib.parse import quote

from tests.integration.console.pages.visitors import Console

from windrow.console.pages.desk import Address, Given, Shown, Taken
from windrow.console.pages.site import SECTIONS
from windrow.postgres import audit
from windrow.web.principal import Role

ORDER = list(Role)


def addresses(site: Console) -> list[Address]:
    return [address for section in SECTIONS for address in section.addresses(site.site.desk)]


def filled(path: str) -> str:
    """With something in its places that is not there."""
    return re.sub(r"\{[^}]+\}", "nothing-of-the-kind", path)


def role_of(address: Address) -> Role:
    return Role.READER if isinstance(address, Given) else address.role


async def test_every_address_is_for_those_who_have_its_role_and_every_refusal_is_in_the_trail(site: Console) -> None:
    wrong, refused = [], 0
    for held in ORDER:
        visitor = await site.visitor(held, subject=f"a-{held}")
        token = await visitor.form_token()
        for address in addresses(site):
            path = filled(address.path)
            if isinstance(address, Taken):
                answered = await visitor.send(path, form_token=token)
            else:
                answered = await visitor.client.get(path)
            allowed = ORDER.index(held) >= ORDER.index(role_of(address))
            refused += not allowed
            if (answered.status_code == 403) is allowed or answered.status_code == 500:
                wrong.append((held, address.path, answered.status_code))
    async with site.database.tenant("acme") as tx:
        lines = [line for line in await audit.history(tx, limit=1000) if line.action == "access.refuse"]

    assert wrong == []
    assert len(lines) == refused > 40


async def test_nobody_sees_anything_without_a_session(site: Console) -> None:
    stranger = site.stranger()
    for address in addresses(site):
        path = filled(address.path)
        if isinstance(address, Taken):
            assert (await stranger.post(path, data={"reason": "x"})).status_code == 401, path
        else:
            assert (await stranger.get(path)).headers["location"].startswith("/login"), path
        if isinstance(address, Shown) and address.live:
            assert (await stranger.get(filled(address.live))).status_code == 401, path


async def test_whatever_stands_in_an_address_its_refusal_is_in_the_trail(site: Console) -> None:
    reader = await site.visitor(Role.READER)
    for word in ("x" * 6000, "a\0b", "\ud83d"):
        path = f"/queues/topics/{quote(word.encode('utf-8', 'surrogatepass'))}"
        assert (await reader.client.get(path)).status_code == 403, word[:10]

    async with site.database.tenant("acme") as tx:
        lines = [line for line in await audit.history(tx, limit=100) if line.action == "access.refuse"]
    assert len(lines) == 3
    assert max(len(line.subject) for line in lines) < 400
