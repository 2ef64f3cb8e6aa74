"""What people were told, read again page by page: a project's own, and what concerns the whole tenant."""

from windrow.messages import publish
from windrow.notify import Channel, LastTold, Notice, tell, told
from windrow.postgres import Database

TENANT = "acme"


async def test_a_project_sees_its_own_notices_and_the_tenants_page_by_page_the_latest_first(database: Database) -> None:
    async with database.tenant(TENANT) as tx:
        for project, title in (("main", "first"), (None, "for all"), ("second", "another's"), ("main", "last")):
            await tell(tx, Notice(channel=Channel.OPS, title=title, project_id=project))
        await publish(tx, "changes", {"project_id": "main", "title": "no notice"}, key="k")

    async with database.tenant(TENANT) as tx:
        whole = await told(tx, "main", whole=True)
        first = await told(tx, "main", whole=True, limit=1)
        rest = await told(tx, "main", whole=True, after=LastTold(first[0].told_at, first[0].notice_id))
        pager = await told(tx, "main", whole=True, channel=Channel.PAGER)
        own = await told(tx, "main")

    assert [each.notice.title for each in whole] == ["last", "for all", "first"]
    assert first + rest == whole
    assert pager == []
    assert [each.notice.title for each in own] == ["last", "first"]


async def test_a_message_that_is_no_notice_hides_no_other(database: Database) -> None:
    async with database.tenant(TENANT) as tx:
        await tell(tx, Notice(channel=Channel.OPS, title="seen", project_id="main"))
        await publish(tx, "notify.ops", {"severity": 7, "project_id": "main"}, key="k")
        await publish(tx, "notify.ops", ["what", "is", "this"], key="k")

    async with database.tenant(TENANT) as tx:
        found = await told(tx, "main", whole=True)

    assert [each.notice.title for each in found] == ["a message that is no notice"] * 2 + ["seen"]
