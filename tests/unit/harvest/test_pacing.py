"""How large the next page is to be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.connectors.spec import PageSizes
from windrow.contracts.errors import Fatal
from windrow.harvest.pacing import CEILING, LEAST, NEAR, PATIENCE, Pace, pace

SIZES = st.tuples(*[st.integers(50, 500)] * 3, st.booleans()).map(
    lambda drawn: PageSizes(
        **dict(zip(("smallest", "standard", "largest"), sorted(drawn[:3]), strict=True)), fixed=drawn[3]
    )
)
# a page's bytes and whether the source was calm; or None: it could not be had at all
EVENTS = st.lists(st.none() | st.tuples(st.integers(0, 2 * CEILING), st.booleans()), max_size=40)
HEAVY = int(NEAR * CEILING) + 1


@pytest.mark.req("MW-40", "HV-10")
def test_a_page_has_a_hundred_records_unless_somebody_chose_otherwise() -> None:
    assert pace(PageSizes()).size == 100
    assert pace(PageSizes(), wanted=250).size == 250


@pytest.mark.req("MW-40", "HV-10")
@pytest.mark.parametrize("sizes", [(49, 100, 500), (50, 100, 501), (100, 50, 500), (50, 300, 200)])
def test_a_connector_may_choose_from_50_to_500_and_nothing_else(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(Fatal, match="refused"):
        PageSizes(smallest=sizes[0], standard=sizes[1], largest=sizes[2])


@pytest.mark.req("HV-10")
def test_a_wish_is_met_as_far_as_the_connector_can() -> None:
    sizes = PageSizes(smallest=80, standard=100, largest=200)

    assert pace(sizes, wanted=500).size == 200
    assert pace(sizes, wanted=50).size == 80


@pytest.mark.req("HV-13")
def test_near_the_ceiling_the_next_page_is_half_as_large() -> None:
    assert pace(PageSizes(), 400).after(HEAVY, calm=True).size == 200
    assert pace(PageSizes(), 400).after(HEAVY - 1, calm=True).size == 400


@pytest.mark.req("HV-81", "MW-70")
def test_a_source_that_asks_for_less_gets_smaller_pages_and_calm_ones_bring_them_back() -> None:
    now = pace(PageSizes(), 400).after(1000, calm=False)
    assert now.size == 200

    sizes = []
    for _ in range(2 * PATIENCE):
        now = now.after(1000, calm=True)
        sizes.append(now.size)
    assert sizes == [200, 200, 400, 400, 400, 400]


def test_it_is_not_stepped_up_where_twice_as_much_would_be_near_the_ceiling() -> None:
    now = pace(PageSizes(), 400, size=200)

    for _ in range(10):
        now = now.after(HEAVY // 3, calm=True)

    assert now.size == 200


@pytest.mark.req("HV-13")
def test_by_itself_it_stays_within_the_negotiable_sizes_and_in_trouble_it_goes_below() -> None:
    now = pace(PageSizes(), 100)
    for _ in range(5):
        now = now.after(HEAVY, calm=False)
    assert now.size == 50

    sizes = []
    while smaller := now.in_trouble():
        now = smaller
        sizes.append(now.size)
    assert sizes == [25, 12, 6, 3, 1]


def test_a_source_that_forbids_another_size_behind_its_cursor_keeps_it() -> None:
    now = pace(PageSizes(fixed=True), 400)

    assert now.after(HEAVY, calm=False) == now
    assert now.in_trouble() is None


def test_a_slice_goes_on_with_the_size_that_the_one_before_it_had() -> None:
    now = pace(PageSizes(), 400, size=12)

    assert (now.size, now.wanted) == (12, 400)
    assert pace(PageSizes(), 100, size=400).size == 100


@given(SIZES, st.none() | st.integers(1, 1000), st.none() | st.integers(1, 1000), EVENTS)
def test_its_bounds_are_never_left(
    sizes: PageSizes, wanted: int | None, size: int | None, events: list[tuple[int, bool] | None]
) -> None:
    now: Pace = pace(sizes, wanted, size)
    first = now.size
    for event in events:
        now = (now.in_trouble() or now) if event is None else now.after(event[0], calm=event[1])
        assert LEAST <= now.size <= now.wanted <= sizes.largest
        assert now.wanted >= sizes.smallest
        if sizes.fixed:
            assert now.size == first
        if event is not None and size is None and None not in events:
            assert now.size >= sizes.smallest


@given(SIZES, EVENTS)
def test_after_enough_calm_it_is_what_was_wanted(sizes: PageSizes, events: list[tuple[int, bool] | None]) -> None:
    now = pace(sizes)
    for event in events:
        now = (now.in_trouble() or now) if event is None else now.after(event[0], calm=event[1])

    for _ in range(10 * PATIENCE):
        now = now.after(1000, calm=True)

    assert now.size == now.wanted
