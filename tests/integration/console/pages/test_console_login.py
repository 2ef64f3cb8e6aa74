"""The way in and the way out: a link that works once, and a cookie that nobody else can use."""

from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from tests.conftest import Said
from tests.integration.console.pages.fields import connect, endpoint
from tests.integration.console.pages.visitors import Console, console

from windrow.console.session import SessionLimits
from windrow.postgres import Database, audit

PAGES = ("/", "/endpoints", "/endpoints/github", "/endpoints/nowhere", "/runs", "/runs/x", "/you")
LIVE = ("/live/overview", "/live/endpoints", "/live/endpoints/github", "/live/runs", "/live/runs/x")


async def test_a_link_lets_in_once(site: Console) -> None:
    link = await site.link()
    first, second = site.stranger(), site.stranger()

    let_in = await first.get(link)
    again = await second.get(link)

    assert (let_in.status_code, let_in.headers["location"]) == (303, "/")
    assert (await first.get("/")).status_code == 200
    assert again.status_code == 401
    assert "set-cookie" not in again.headers


async def test_looking_ahead_does_not_use_a_link_up(site: Console) -> None:
    link = await site.link()
    client = site.stranger()

    ahead = await client.head(link)

    assert ahead.status_code == 200
    assert (await client.get(link)).status_code == 303


async def test_a_link_is_good_for_a_while_only(site: Console) -> None:
    late = await site.stranger().get(await site.link(lifetime=timedelta(0)))

    assert late.status_code == 401


async def test_what_is_no_code_is_refused_like_one_that_was_used(site: Console) -> None:
    texts = set()
    for code in (
        "",
        "x",
        "acme.",
        "acme." + "A" * 43,
        "../acme." + "A" * 43,
        "ACME." + "A" * 43,
        "acme.%00" + "A" * 42,
    ):
        refused = await site.stranger().get(f"/login?code={code}")
        assert refused.status_code == 401, code
        texts.add(refused.text.partition("request <code>")[0])
    assert len(texts) == 1


async def test_neither_code_nor_cookie_is_in_the_database_or_the_log(site: Console, said: Said) -> None:
    link = await site.link()
    code = link.rpartition(".")[2]
    client = site.stranger()
    await client.get(link)
    (cookie,) = [value.rpartition(".")[2] for value in client.cookies.values()]

    with connect(site.database.url) as connection:
        rows = connection.execute("SELECT s::text FROM sessions s UNION ALL SELECT a::text FROM audit_log a").fetchall()

    assert len(rows) == 3  # the session; the invitation and the login
    for secret in (code, cookie):
        assert secret not in "\n".join([*said.raw, *(row[0] for row in rows)])


async def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(site: Console) -> None:
    answered = await site.stranger().get(await site.link())

    name, *flags = [part.strip() for part in answered.headers["set-cookie"].split(";")]

    assert name.startswith(f"windrow-{urlsplit(site.url).port}=acme.")
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= set(flags)
    assert not any(flag.startswith("Domain") for flag in flags)


async def test_behind_tls_the_cookie_is_for_this_host_over_tls_alone(database: Database, tmp_path: Path) -> None:
    async with console(database, tmp_path, url="https://windrow.example") as site:
        answered = await site.stranger().get(await site.link())

    assert answered.headers["set-cookie"].startswith("__Host-windrow=acme.")
    assert "; Secure" in answered.headers["set-cookie"]


async def test_the_way_goes_on_to_our_own_pages_only(site: Console) -> None:
    for asked, goes in (("/runs?outcome=failed", "/runs?outcome=failed"), ("//evil.example/", "/")):
        answered = await site.stranger().get(f"{await site.link()}&{urlencode({'next': asked})}")

        assert answered.headers["location"] == goes


async def test_strangers_are_shown_the_way_in_whatever_they_ask_for(site: Console) -> None:
    stranger = site.stranger()
    for path in PAGES:
        answered = await stranger.get(path)
        assert (answered.status_code, answered.text) == (303, ""), path
        assert answered.headers["location"].startswith("/login"), path
    for path in LIVE:
        assert (await stranger.get(path)).status_code == 401, path
    for act in ("trigger", "pause", "resume", "reschedule"):
        assert (await stranger.post(f"/endpoints/github/{act}")).status_code == 401
    assert "windrow login" in (await stranger.get("/login")).text


async def test_a_cookie_that_nobody_was_given_opens_nothing(site: Console) -> None:
    visitor = await site.visitor()
    ((name, value),) = visitor.client.cookies.items()
    for forged in ("acme." + "A" * 43, value.replace("acme.", "other."), value[:-1], "\u00e4", "a" * 5000):
        stranger = site.stranger()
        answered = await stranger.get("/", headers={"cookie": f"{name}={forged}".encode("latin-1", "replace")})
        assert answered.status_code == 303, forged


async def test_who_logs_out_is_out_wherever_the_cookie_was_copied_to(site: Console) -> None:
    visitor = await site.visitor()
    copied = site.stranger()
    copied.cookies.update(visitor.client.cookies)

    left = await visitor.send("/logout")

    assert (left.status_code, left.headers["location"]) == (303, "/login")
    assert (await copied.get("/")).status_code == 303
    async with site.database.tenant("acme") as tx:
        assert [entry.action for entry in await audit.history(tx)] == ["session.end", "session.open", "session.invite"]


async def test_a_session_ends_unused_and_in_any_case(database: Database, tmp_path: Path) -> None:
    for limits in (SessionLimits(idle=timedelta(0)), SessionLimits(longest=timedelta(0))):
        async with console(database, tmp_path, sessions=limits) as site:
            visitor = await site.visitor()

            assert (await visitor.client.get("/")).status_code == 303, limits


async def test_a_page_that_renews_itself_keeps_nobody_logged_in(site: Console) -> None:
    visitor = await site.visitor()
    long_ago = "UPDATE sessions SET seen_at = clock_timestamp() - interval '2 hours' RETURNING seen_at"
    with connect(site.database.url) as connection:
        before = connection.execute(long_ago).fetchone()
        async with visitor.client.stream("GET", "/live/overview") as stream:
            await anext(stream.aiter_raw())
        await visitor.client.get("/", headers={"x-renewal": "1"})
        after_live = connection.execute("SELECT seen_at FROM sessions").fetchone()
        await visitor.see("/")
        after_page = connection.execute("SELECT seen_at FROM sessions").fetchone()

    assert before == after_live != after_page


async def test_a_link_that_another_site_leads_to_is_asked_about_first(site: Console) -> None:
    anna = await site.visitor()
    link = await site.link(subject="mallory")

    asked = await anna.client.get(link, headers={"sec-fetch-site": "cross-site"})

    assert (asked.status_code, "set-cookie" in asked.headers) == (200, False)
    assert "You are logged in already, as anna" in asked.text
    assert "anna" in await anna.see("/you")
    sure = await anna.client.get(link, headers={"sec-fetch-site": "same-origin"})
    assert sure.status_code == 303
    assert "mallory" in await anna.see("/you")


async def test_who_logs_in_as_somebody_else_leaves_no_session_behind(site: Console) -> None:
    anna = await site.visitor()
    left = dict(anna.client.cookies)

    await anna.client.get(await site.link(subject="otto"))

    before = site.stranger()
    before.cookies.update(left)
    assert (await before.get("/you")).status_code == 303
    async with site.database.tenant("acme") as tx:
        assert "session.end" in [line.action for line in await audit.history(tx)]


async def test_what_fetches_a_page_ahead_does_not_use_its_link_up(site: Console) -> None:
    link = await site.link()

    ahead = await site.stranger().get(link, headers={"sec-purpose": "prefetch;prerender"})

    assert (ahead.status_code, "set-cookie" in ahead.headers) == (200, False)
    assert (await site.stranger().get(link)).status_code == 303


async def test_what_an_operator_does_elsewhere_is_told_as_such(site: Console) -> None:
    with connect(site.database.url, "other") as connection:
        endpoint(connection, "theirs")
    anna = await site.visitor(anywhere=True)
    await anna.send("/you/look-at", tenant="other", project="main")
    await anna.send("/endpoints/theirs/pause", reason="a rest")

    async with site.database.tenant("other") as tx:
        (line,) = [line for line in await audit.history(tx) if line.action == "schedule.pause"]
    assert line.authority == "session of the console, of tenant acme"
