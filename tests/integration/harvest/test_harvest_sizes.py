"""How large pages and batches are: the ceiling, the warning, compression, and pages that grow and shrink."""

import resource
from typing import Any

import pytest
import zstandard
from tests.conftest import Said
from tests.integration.harvest import script
from tests.integration.harvest.script import Script, things
from tests.integration.harvest.shop import Shop, catalog, open_shop, persist, rows, run_slice

from windrow.connectors.spec import PageSizes
from windrow.contracts.errors import Code, RateLimited, RetryableTransient
from windrow.harvest.pacing import CEILING
from windrow.harvest.run import Outcome
from windrow.outbox.batch import COMPRESSED_ABOVE
from windrow.postgres import Database


def heavy(count: int, size: int = 205_000) -> list[dict[str, Any]]:
    """So many items of about so many bytes each."""
    many = [f"{number:03} {'é' * 240}" for number in range(200)]
    filler = "x y " * ((size - 195_000) // 4)
    return things(*range(count), owners=many, labels=many, attributes={"x": filler})


@pytest.mark.req("HV-10")
async def test_a_page_is_asked_for_with_a_hundred_unless_the_endpoint_wants_another(database: Database) -> None:
    plain, wide = Script.of(script.Said(things(1))), Script.of(script.Said(things(1)))

    await run_slice(database, plain, await open_shop(database))
    await run_slice(database, wide, await open_shop(database, "wide", page_size=400), "run-2")

    assert [size for _, size in plain.asked] == [100]
    assert [size for _, size in wide.asked] == [400]


@pytest.mark.req("HV-11", "MW-42", "HV-12")
async def test_a_page_above_the_ceiling_becomes_several_compressed_batches_and_arrives_whole(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database)

    report = await run_slice(database, Script.of(script.Said(heavy(330))), endpoint)

    assert report.totals.bytes > CEILING
    batches = await rows(
        database,
        "SELECT seq, items, bytes, encoding, length(payload) AS stored, observation FROM harvest_outbox ORDER BY seq",
    )
    assert len(batches) == 2
    assert all(row["bytes"] <= CEILING and row["encoding"] == "zstd" for row in batches)
    assert all(row["stored"] < row["bytes"] / 10 for row in batches)
    assert [row["seq"] for row in batches] == [1, 2]
    await persist(database, endpoint)
    assert (await catalog(database)).keys() == {f"thing {number:05}" for number in range(330)}
    (line,) = said.events("harvest.published")
    assert line["item_count"] == 330


@pytest.mark.req("MW-42")
async def test_a_batch_in_process_is_measured_and_stays_below_the_ceiling(database: Database) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(things(*range(40), attributes={"x": "y " * 400}))), endpoint)

    (batch,) = await rows(database, "SELECT bytes, length(payload) AS stored, encoding FROM harvest_outbox")
    assert batch["bytes"] == batch["stored"]
    assert batch["encoding"] == "json"


@pytest.mark.req("HV-12")
@pytest.mark.parametrize(("count", "encoding"), [(50, "json"), (60, "zstd")])
async def test_a_payload_is_compressed_above_ten_megabytes_and_only_then(
    database: Database, count: int, encoding: str
) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(heavy(count))), endpoint)

    (batch,) = await rows(database, "SELECT bytes, payload, encoding FROM harvest_outbox")
    assert (batch["bytes"] > COMPRESSED_ABOVE) == (encoding == "zstd")
    assert batch["encoding"] == encoding
    if encoding == "zstd":
        assert len(zstandard.ZstdDecompressor().decompress(batch["payload"])) == batch["bytes"]


@pytest.mark.req("HV-13")
async def test_near_the_ceiling_there_is_a_warning_and_the_next_page_is_smaller(database: Database, said: Said) -> None:
    endpoint = await open_shop(database, page_size=200)
    source = Script.of(script.Said(heavy(200, 220_000)), script.Said(things(900)), script.Said(things(901)))

    await run_slice(database, source, endpoint)

    (warned,) = said.events("harvest.neared_ceiling")
    assert (warned["level"], warned["position"], warned["ceiling"]) == ("WARN", "page 0", CEILING)
    assert 0.8 * CEILING < warned["bytes"] < CEILING
    assert [size for _, size in source.asked] == [200, 100, 100]
    (resized,) = said.events("harvest.resized")
    assert (resized["before"], resized["page_size"], resized["reason"]) == (200, 100, "size")


@pytest.mark.req("HV-13")
async def test_the_warning_comes_also_when_it_is_the_last_page(database: Database, said: Said) -> None:
    endpoint = await open_shop(database)

    await run_slice(database, Script.of(script.Said(heavy(200, 220_000))), endpoint)

    assert len(said.events("harvest.neared_ceiling")) == 1


@pytest.mark.req("HV-81", "MW-70")
async def test_a_source_under_pressure_is_asked_for_less_and_for_more_again_when_it_is_calm(
    database: Database, said: Said
) -> None:
    endpoint = await open_shop(database, page_size=200)
    calm = [script.Said(things(number)) for number in range(5)]
    source = Script.of(script.Said(things(100), calm=False), *calm)

    await run_slice(database, source, endpoint)

    assert [size for _, size in source.asked] == [200, 100, 100, 100, 200, 200]
    assert [line["reason"] for line in said.events("harvest.resized")] == ["pressure", "size"]


@pytest.mark.req("MW-70")
async def test_a_source_that_forbids_another_size_is_always_asked_for_the_same(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(script.Said(things(1), calm=False), script.Said(things(2), calm=False), script.Said(things(3)))
    source.sizes = PageSizes(fixed=True)

    await run_slice(database, source, endpoint)

    assert [size for _, size in source.asked] == [100, 100, 100]


@pytest.mark.parametrize("code", [Code.TOO_LARGE, Code.TIMEOUT, Code.UNAVAILABLE])
async def test_a_page_in_trouble_is_asked_for_below_fifty_from_the_same_cursor(database: Database, code: Code) -> None:
    endpoint = await open_shop(database)
    trouble = [RetryableTransient("502", code=code) for _ in range(3)]
    source = Script.of(script.Said(things(1)), *trouble, script.Said(things(2)), script.Said(things(3)))

    report = await run_slice(database, source, endpoint)

    assert report.outcome is Outcome.DONE
    assert source.asked == [
        (None, 100),
        ({"page": 1}, 100),
        ({"page": 1}, 50),
        ({"page": 1}, 25),
        ({"page": 1}, 12),
        ({"page": 2}, 12),
    ]
    assert report.page_size == 12


async def test_a_limit_is_no_trouble_of_size(database: Database) -> None:
    endpoint = await open_shop(database)
    source = Script.of(RateLimited("429", retry_after=7), script.Said(things(1)))

    with pytest.raises(RateLimited):
        await run_slice(database, source, endpoint)

    assert len(source.asked) == 1


async def test_what_cannot_be_had_at_any_size_ends_the_slice(database: Database) -> None:
    endpoint = await open_shop(database)
    trouble = [RetryableTransient("502", code=Code.UNAVAILABLE) for _ in range(20)]
    source = Script.of(*trouble, script.Said(things(1)))

    with pytest.raises(RetryableTransient):
        await run_slice(database, source, endpoint)

    assert [size for _, size in source.asked] == [100, 50, 25, 12, 6, 3, 1]


@pytest.mark.req("MW-42")
async def test_memory_does_not_grow_with_the_number_of_pages(database: Database) -> None:
    endpoint = await open_shop(database, page_size=500)
    shop = Shop()
    shop.puts(*(f"thing {number:06}" for number in range(2500)), attributes={"x": "y " * 1000})
    await run_slice(database, shop, endpoint)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    await run_slice(database, shop, endpoint, "run-2")

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20 * 1024
