"""The mapping of a topic is enough: tenants are subscribed as they begin, and nothing that was said meanwhile is lost."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.conftest import Said
from tests.fakes.pubsub import FakePubSub
from tests.integration.messages.post import Post

from windrow.app.attending import attend
from windrow.app.background import Background
from windrow.app.outside import outside
from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.scope import Actor
from windrow.messages import (
    Subscription,
    claim,
    route,
    subscribe,
    subscribe_everywhere,
    subscribe_newcomers,
    subscriptions,
    unsubscribe_everywhere,
)
from windrow.messages.pubsub import subscription_of
from windrow.postgres.wakeups import Wakeups
from windrow.settings import Settings

THERE = "projects/acme/topics/work"
OPERATOR = Actor("ada", "operator")


@pytest.fixture
async def server() -> AsyncIterator[FakePubSub]:
    async with FakePubSub() as fake:
        fake.topic(THERE)
        yield fake


@pytest.mark.req("EV-13")
async def test_with_the_mapping_set_what_is_published_arrives_and_what_was_published_before(
    post: Post, server: FakePubSub, tmp_path: Path, said: Said
) -> None:
    settings = Settings(
        home=tmp_path,
        pubsub_topics=f"work={THERE}",  # type: ignore[arg-type] # as the environment has it
        pubsub_endpoint=server.address,
        shutdown_timeout_sec=5,
    )
    await post.publish("before", topic="work")
    await route(post.database)

    async with outside(settings, {}) as beyond, Background() as background:
        attend(background, settings, post.database, beyond, Wakeups(post.database.url), name="relay")
        await server.until(lambda: len(server.published(THERE)) == 1)
        await post.publish("after", topic="work")
        await server.until(lambda: len(server.published(THERE)) == 2)

    assert [json.loads(one.data) for one in server.published(THERE)] == ["before", "after"]
    (line,) = said.events("subscription.attached")
    assert (line["tenant_id"], line["topic"], line["sink"]) == ("acme", "work", "pubsub.work")


async def test_a_tenant_that_begins_later_is_subscribed_and_nothing_it_said_meanwhile_is_missing(post: Post) -> None:
    wish = subscription_of("work")
    assert await subscribe_everywhere(post.database, wish) == 0
    await post.publish(1, 2, topic="work", tenant="newcomer")
    await route(post.database)

    assert await subscribe_newcomers(post.database, wish) == 1

    async with post.database.tenant("newcomer") as tx:
        assert [one.pending for one in await subscriptions(tx, "work")] == [2]


async def test_other_terms_in_the_settings_reach_those_who_are_subscribed(post: Post) -> None:
    await post.publish(1, topic="work")
    await route(post.database)
    assert await subscribe_newcomers(post.database, subscription_of("work", attempts=7)) == 1
    assert await subscribe_newcomers(post.database, subscription_of("work", attempts=9)) == 0

    assert await subscribe_everywhere(post.database, subscription_of("work", attempts=9)) == 1

    async with post.database.tenant("acme") as tx:
        (status,) = await subscriptions(tx, "work")
    assert (status.name, status.sink, status.retry_attempts) == ("pubsub.work", "pubsub.work", 9)
    assert status.pending == 1, "a second time it does not begin anew"


async def test_the_trouble_of_one_tenant_is_not_the_others(post: Post) -> None:
    async with post.database.tenant("acme") as tx:
        await subscribe(tx, Subscription(name="pubsub.work", topic="another"))
    for tenant in ("acme", "beta"):
        await post.publish(1, topic="work", tenant=tenant)
    await route(post.database)

    with pytest.raises(ValidationFailure):
        await subscribe_everywhere(post.database, subscription_of("work"))

    async with post.database.tenant("beta") as tx:
        assert [one.pending for one in await subscriptions(tx, "work")] == [1]


async def test_what_was_taken_out_of_the_settings_is_given_up_in_all_tenants(post: Post) -> None:
    for tenant in ("acme", "beta"):
        await post.publish(1, topic="work", tenant=tenant)
    await route(post.database)
    await subscribe_everywhere(post.database, subscription_of("work"))

    assert await unsubscribe_everywhere(post.database, "pubsub.work", actor=OPERATOR) == 2

    async with post.database.tenant("acme") as tx:
        with pytest.raises(ValidationFailure):
            await claim(tx, "pubsub.work", by="nobody")


@pytest.mark.parametrize(
    "words",
    ["work", "work=topics/work", "work=projects/acme/subscriptions/work", "Work=projects/acme/topics/work"],
)
async def test_a_mapping_that_is_none_is_heard_of_at_the_start(words: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, pubsub_topics=words)  # type: ignore[arg-type] # as the environment has it

    with pytest.raises(Fatal, match="WINDROW_PUBSUB_TOPICS") as refusal:
        async with outside(settings, {}):
            pass

    assert refusal.value.code is Code.CONFIGURATION


async def test_googles_client_is_not_loaded_where_no_topic_is_mapped() -> None:
    program = "import sys, windrow.app.pubsub; sys.exit('grpc' in sys.modules or 'google.pubsub_v1' in sys.modules)"

    done = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stderr=subprocess.PIPE)

    assert await asyncio.wait_for(done.communicate(), 60) is not None
    assert done.returncode == 0
