"""Search: what finds an item, what is best, and who sees it."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.integration.catalog.shelf import ACME, THEIRS, add, change, moment

from windrow import catalog
from windrow.catalog import Filters, FoundIn
from windrow.catalog.indexing import Q, tidy
from windrow.catalog.sought import Sought
from windrow.catalog.sweep import Sweep
from windrow.contracts.errors import ValidationFailure
from windrow.contracts.scope import Scope
from windrow.postgres import Database

STORE = "src/windrow/kv/store.py"
TYPED: list[str] = []


async def found(database: Database, text: str, scope: Scope = ACME, **more: Any) -> catalog.Found:
    await catalog.index_tenant(database, scope.tenant_id)
    filters = Filters(**{name: more.pop(name) for name in list(more) if name not in ("skip", "limit")})
    async with database.tenant(scope.tenant_id) as tx:
        return await catalog.search(tx, scope, text, filters, **more)


async def names(database: Database, text: str, scope: Scope = ACME, **more: Any) -> list[str]:
    return [hit.item.external_id for hit in (await found(database, text, scope, **more)).hits]


@pytest.mark.parametrize(
    "text",
    [
        "kv store",
        "store kv",
        "store.py",
        STORE,
        "src/windrow",
        "STORE",
        "sto",
        "kv/st",
        '"kv store py"',
        '"windrow kv"',
        "store -harvest",
        "'store'",
        "store -",
    ],
)
async def test_a_path_is_found_by_its_words(database: Database, text: str) -> None:
    await add(database, STORE, canonical_path=STORE)
    await add(database, "src/windrow/harvest/sync.py", canonical_path="src/windrow/harvest/sync.py")

    assert STORE in await names(database, text)


@pytest.mark.parametrize("text", ["store kw", "st kv", '"store kv"', "store -kv", '"kv sto"', "-kv", "", '""', "tore"])
async def test_what_is_not_all_there_is_not_found(database: Database, text: str) -> None:
    await add(database, STORE, canonical_path=STORE)

    assert await names(database, text) == []


@pytest.mark.parametrize("text", ["TokenStore", "token store", "tokenstore", "token_store", "tok", "TokenSt"])
async def test_a_name_in_camel_case_is_found_by_its_parts_and_as_one(database: Database, text: str) -> None:
    await add(database, "1", display_name="TokenStore")

    assert await names(database, text) == ["1"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("8f472c4", {"external_id": "commit:8f472c4aa91"}),
        ("urgent", {"labels": ["Urgent!"]}),
        ("alice", {"owners": ["alice@example.com"]}),
        ("pull request", {"entity_type": "pull_request"}),
        ("straße", {"display_name": "Die STRASSE und die Straße"}),
        ("ärger", {"display_name": "ÄRGER"}),
        ("zitiert", {"display_name": "\u201ezitiert\u201c \u2013 so"}),
        ("abc", {"display_name": "\uff21\uff22\uff23"}),
        ("e\u0301te\u0301", {"display_name": "\u00e9t\u00e9"}),
    ],
)
async def test_every_field_counts_in_every_script(database: Database, text: str, field: dict[str, Any]) -> None:
    (item_id,) = await add(database, "x", **field)

    assert [hit.item.item_id for hit in (await found(database, text)).hits] == [item_id]


async def test_names_come_before_paths_and_paths_before_the_rest(database: Database) -> None:
    await add(database, "rest", labels=["store"], source_updated_at=moment(9))
    await add(database, "path", canonical_path="src/store/path", source_updated_at=moment(8))
    await add(database, "old", display_name="old store", source_updated_at=moment(1))
    await add(database, "new", display_name="new store", source_updated_at=moment(2))
    await add(database, "whole", display_name="Store", source_updated_at=moment(0))

    hits = (await found(database, "store")).hits

    assert [hit.item.external_id for hit in hits] == ["whole", "new", "old", "path", "rest"]
    assert [hit.where for hit in hits] == [
        FoundIn.WHOLE_NAME,
        FoundIn.NAME,
        FoundIn.NAME,
        FoundIn.PATH,
        FoundIn.ELSEWHERE,
    ]


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ('"token store"', True),
        ('"tokenstore cache"', True),
        ('"store cache"', True),
        ('"token cache"', False),
        ('"cache store"', False),
        ('"store v2"', True),
        ('"cache file"', False),
        ('"straße 9"', True),
        ('"9 straße"', False),
    ],
)
async def test_a_phrase_is_found_side_by_side_in_one_field_whatever_parts_its_words(
    database: Database, text: str, is_found: bool
) -> None:
    await add(database, "x-1", display_name="TokenStore--cache", labels=["store.v2"])
    await add(database, "x-2", display_name="TokenStore--cache", labels=["store.v2"], canonical_path="die/Straße/9")

    wanted = {"x-2"} if "straße" in text else {"x-1", "x-2"}
    assert set(await names(database, text)) == (wanted if is_found else set())


async def test_filters_narrow_what_is_found(database: Database) -> None:
    await add(database, "a", display_name="store one", labels=["red", "late"], owners=["ann"])
    await add(database, "b", display_name="store two", labels=["red late"], entity_type="page")
    await add(database, "c", display_name="store three", endpoint="wiki")
    await add(database, "d", display_name="store four", deleted=True)

    assert await names(database, "store", label="red") == ["a"]
    assert await names(database, "store", owner="ann") == ["a"]
    assert await names(database, "store", entity_type="page") == ["b"]
    assert await names(database, "store", endpoint="wiki") == ["c"]
    assert await names(database, "store", deleted=True) == ["d"]
    assert await names(database, "store", endpoint="wiki", label="red") == []
    assert await names(database, "", label="red late") == ["b"]
    assert await names(database, "store", label="late red") == []


async def test_no_tenant_finds_what_another_has_nor_another_project(database: Database) -> None:
    await add(database, "secret", scope=THEIRS)
    await add(database, "secret", scope=Scope("acme", "other"))

    assert await names(database, "secret") == []
    assert await names(database, "secret", THEIRS) == ["secret"]
    assert await names(database, "secret", Scope("acme", "other")) == ["secret"]


async def test_an_item_is_found_by_what_it_says_now(database: Database) -> None:
    (item_id,) = await add(database, "1", display_name="first")
    await change(database, item_id, at=moment(1), run="run-2", display_name="second")

    assert await names(database, "first") == []
    assert await names(database, "second") == ["1"]

    await change(database, item_id, at=moment(2), run="run-3", deleted=True)

    assert await names(database, "second") == []
    assert await names(database, "second", deleted=True) == ["1"]


async def test_what_was_written_is_found_before_and_after_it_is_sorted_in(database: Database) -> None:
    await add(database, "early")
    async with database.tenant("acme") as tx:
        assert await tx.value(Q.index, rows=1, newest=None) == 1
    before = await names(database, "early")
    pages = await tidy(database)

    assert before == await names(database, "early") == ["early"]
    assert pages > 0
    assert await tidy(database) == 0


async def test_a_frequent_word_is_answered_from_a_sample_that_says_so(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(3000)), canonical_path="common/place")
    await add(database, "src/folder", display_name="common")
    await add(database, "in name", display_name="a common name")

    answer = await found(database, "common")

    assert not answer.is_all
    assert 60 <= answer.count < 3002
    assert [hit.item.display_name for hit in answer.hits[:2]] == ["common", "a common name"]
    assert (await found(database, "common n17")).is_all


async def test_a_phrase_that_nobody_has_is_not_looked_for_without_end(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(300)), canonical_path="red/late")
    await catalog.index_tenant(database, "acme")
    sought = Sought(words=("late", "red"), phrases=(("late", "red"),))

    async with database.tenant("acme") as tx:
        some, whole = [Sweep(tx, "main", sought, Filters(), 20) for _ in range(2)]
        await some.run(60, weighed=50)
        await whole.run(60, weighed=301)

    assert (some.count, some.is_all, some.weighed) == (0, False, 50)
    assert (whole.count, whole.is_all) == (0, True)


async def test_pages_follow_one_another_and_end(database: Database) -> None:
    await add(database, *(f"n{number:02}" for number in range(25)), display_name="same")

    first = await found(database, "same", limit=10)
    second = await found(database, "same", limit=10, skip=first.next)
    third = await found(database, "same", limit=10, skip=second.next)

    seen = [hit.item.item_id for page in (first, second, third) for hit in page.hits]
    assert (len(seen), len(set(seen)), third.next) == (25, 25, None)
    assert seen == sorted(seen)
    with pytest.raises(ValidationFailure, match="only the first 500"):
        await found(database, "same", skip=500)


async def test_all_pages_of_a_frequent_word_are_of_one_sample(database: Database) -> None:
    await add(database, *(f"n{number}" for number in range(3000)), display_name="common")

    seen, skip = [], 0
    while skip is not None:
        page = await found(database, "common", limit=20, skip=skip)
        seen += [hit.item.item_id for hit in page.hits]
        skip = page.next

    assert len(seen) == len(set(seen)) == min(page.count, catalog.DEEPEST) >= 60


@pytest.mark.parametrize("value", ["", "\x00", "\ud800", "x" * 257])
def test_a_filter_that_no_item_can_meet_is_refused(value: str) -> None:
    with pytest.raises(ValidationFailure, match="no item can have the label"):
        Filters(label=value)


async def test_the_longest_and_oddest_texts_can_be_stored(database: Database) -> None:
    odd = [
        "\ufdfa" * 1024,
        "a" * 1024,
        "\U0001d160" * 1024,
        "'",
        "\\",
        '~ " & | !',
        ":*",
        "  ",
        "\u3000",
        "\ufb03" * 1024,
    ]
    await add(database, *(f"n{at}" for at in range(3)), labels=odd[1:3], owners=odd[:1])
    for at, name in enumerate(odd):
        await add(database, name[:1024] + str(at), display_name=name[:1024], canonical_path=name * 3)

    assert await names(database, "\ufdfa" * 10) != []


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="ab \"-'\\:*&|!()<>~@/._\x00\ud800", max_size=40))
@example("\x00")
@example("store" * 2000)
@example("\U0001d160" * 10_000)
@example("word " * 2000)
@example("a." * 5000)
@example('"a.b ' * 500)
@example("\u0130" * 300)
def _typed(text: str) -> None:
    TYPED.append(text)


async def test_whatever_is_typed_is_no_error(database: Database) -> None:
    await add(database, STORE, canonical_path=STORE)
    await catalog.index_tenant(database, "acme")
    TYPED.clear()
    _typed()  # hypothesis knows nothing of our event loop: it says what to type, and here it is typed

    async with database.tenant("acme") as tx:
        for text in TYPED:
            answer = await catalog.search(tx, ACME, text)
            assert answer.is_all
            assert len(answer.hits) == answer.count <= 1
    assert len(TYPED) > 100
