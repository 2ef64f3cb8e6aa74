"""Who is next, as a function of what waits."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.jobs.fair import Headroom, Queue, plan


def shares(queues: list[Queue], room: int, after: str = "", headroom: Headroom | None = None) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for take in plan(queues, room, after, headroom or Headroom()):
        counted[take.queue.tenant_id] += take.most
    return dict(counted)


def test_tenants_share_the_room_equally() -> None:
    queues = [Queue("a", "clip", 0, 1), Queue("b", "clip", 0, 1000), Queue("c", "clip", 0, 2000)]

    assert shares(queues, 9) == {"a": 3, "b": 3, "c": 3}


def test_when_there_is_room_for_one_only_they_take_turns() -> None:
    queues = [Queue("a", "clip", 0, 1), Queue("b", "clip", 0, 1)]

    assert shares(queues, 1, after="a") == {"b": 1}
    assert shares(queues, 1, after="b") == {"a": 1}


def test_a_high_priority_does_not_overtake_another_tenant() -> None:
    queues = [Queue("a", "clip", 100, 1), Queue("b", "clip", 0, 1)]

    assert shares(queues, 2) == {"a": 1, "b": 1}


def test_within_a_tenant_the_highest_priority_comes_first_then_the_oldest() -> None:
    low, old, young = Queue("a", "x", 0, 1), Queue("a", "y", 5, 7), Queue("a", "x", 5, 9)

    assert [take.queue for take in plan([low, young, old], 3, "", Headroom())] == [old]


def test_what_a_limit_leaves_over_goes_to_the_next_queue_of_the_tenant() -> None:
    limited, other = Queue("a", "x", 5, 1), Queue("a", "y", 0, 1)

    takes = plan([limited, other], 5, "", Headroom(kinds={"x": 2}))

    assert {take.queue: take.most for take in takes} == {limited: 2, other: 3}


def test_what_one_tenant_may_not_have_is_shared_among_the_others() -> None:
    queues = [Queue("a", "x", 0, 1), Queue("b", "x", 0, 1), Queue("c", "x", 0, 1)]

    assert shares(queues, 9, headroom=Headroom(tenants={"a": 1, "b": 9, "c": 9})) == {"a": 1, "b": 4, "c": 4}


def test_a_limit_that_is_overdrawn_stops_and_gives_nothing_back() -> None:
    assert shares([Queue("a", "x", 0, 1)], 4, headroom=Headroom(kinds={"x": -2})) == {}


QUEUES = st.lists(
    st.builds(Queue, st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(-2, 2), st.integers(1, 99)),
    unique_by=lambda queue: queue.key,
)


@pytest.mark.req("RR-3")
@given(
    QUEUES,
    st.integers(0, 20),
    st.sampled_from(["", "a", "b", "d"]),
    st.dictionaries(st.sampled_from("xyz"), st.integers(0, 5)),
)
def test_the_room_and_the_limits_are_never_exceeded(
    queues: list[Queue], room: int, after: str, kinds: dict[str, int]
) -> None:
    takes = plan(queues, room, after, Headroom(kinds=dict(kinds)))

    assert sum(take.most for take in takes) <= room
    assert all(take.most > 0 for take in takes)
    for kind, most in kinds.items():
        assert sum(take.most for take in takes if take.queue.kind == kind) <= most


@given(QUEUES.filter(bool), st.integers(1, 20), st.sampled_from(["", "a", "b", "d"]))
def test_without_limits_all_of_the_room_is_asked_for_and_no_tenant_gets_two_more_than_another(
    queues: list[Queue], room: int, after: str
) -> None:
    got = shares(queues, room, after)
    tenants = {queue.tenant_id for queue in queues}

    assert sum(got.values()) == room
    assert max(got.values()) - min(got.get(tenant, 0) for tenant in tenants) <= 1
