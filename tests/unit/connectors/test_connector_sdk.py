"""What a connector is given and what it says about itself: spec, permits, context, the execution tool."""

import asyncio
import re
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import generate_latest
from pydantic import BaseModel
from tests.conformance.shelves import Shelves, ShelvesConfig
from tests.conftest import Said, Spans

from windrow.connectors.connector import Connector
from windrow.connectors.context import Context
from windrow.connectors.permits import Permits
from windrow.connectors.spec import ConnectorSpec, PageSizes
from windrow.connectors.standalone import standalone
from windrow.connectors.tool import ExecutionTool
from windrow.contracts.errors import Code, Fatal, RetryableTransient, ValidationFailure
from windrow.contracts.page import Page
from windrow.contracts.scope import Scope
from windrow.settings import read
from windrow.vault import Secret


def context(**changed: Any) -> Context:
    return standalone(Scope("acme", "main"), **{"permits": Permits("acme"), "cache": Path("unused"), **changed})


# spec


@pytest.mark.req("MW-40")
@pytest.mark.parametrize("sizes", [(49, 100, 500), (50, 100, 501), (50, 40, 500), (100, 500, 200), (0, 0, 0)])
def test_page_sizes_outside_50_to_500_or_out_of_order_are_refused(sizes: tuple[int, int, int]) -> None:
    smallest, standard, largest = sizes
    with pytest.raises(Fatal) as raised:
        PageSizes(smallest=smallest, standard=standard, largest=largest)

    assert raised.value.code is Code.CONFIGURATION
    assert "50 to 500" in str(raised.value.hint)


@pytest.mark.req("MW-40")
def test_a_page_is_100_when_nobody_chooses() -> None:
    class Config(BaseModel): ...

    spec = ConnectorSpec(name="shelf", version="1.2", title="A shelf", source_system="shelf", config=Config)

    assert (spec.page_sizes.smallest, spec.page_sizes.standard, spec.page_sizes.largest) == (50, 100, 500)
    assert spec.spec_ref == "connector.shelf@1.2"


@pytest.mark.req("HV-1")
def test_a_connector_says_how_to_prepare_and_to_fetch_or_cannot_be_made() -> None:
    class Half(Connector[ShelvesConfig]):
        pass

    with pytest.raises(TypeError, match="fetch_pages"):
        Half(ShelvesConfig(library="x"), context())  # type: ignore[abstract]


@pytest.mark.req("HV-1")
def test_a_record_that_cannot_be_an_item_is_refused_with_its_place_and_reason() -> None:
    class Fussy(Shelves):
        def item(self, record: Any) -> Any:
            if isinstance(record, Exception):
                raise record
            return {"external_id": record}

    faults = [
        KeyError("title"),
        ValidationFailure("no title"),
        RecursionError("deep"),
        OverflowError("year"),
        ValueError(),
    ]
    page = Page(records=["a", *faults, "b"], cursor=None, position="start")

    turned = Fussy(ShelvesConfig(library="x"), context()).transform(page)

    assert ([item["external_id"] for item in turned.items], list(turned.places)) == (["a", "b"], [0, 6])
    assert [(one.index, one.reasons[0].message) for one in turned.refused][:2] == [
        (1, "KeyError: 'title'"),
        (2, "no title"),
    ]
    assert len(turned.refused) == len(faults)


def test_a_defect_of_the_connector_is_no_reason_to_refuse_a_record() -> None:
    class Defective(Shelves):
        def item(self, record: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(NotImplementedError):
        Defective(ShelvesConfig(library="x"), context()).transform(Page(records=[1], cursor=None, position="start"))


# permits


def test_a_tenant_may_read_what_the_operator_says_and_nothing_else(tmp_path: Path) -> None:
    allowed = [f"acme={tmp_path}/a", f"{tmp_path}/all/{{tenant}}"]
    acme, other = Permits.for_tenant("acme", allowed), Permits.for_tenant("globex", allowed)

    assert acme.path(tmp_path / "a" / "b") == tmp_path / "a" / "b"
    assert acme.path(tmp_path / "all" / "acme") == tmp_path / "all" / "acme"
    for permits, path in [(other, "a"), (other, "all/acme"), (acme, "a/../b"), (acme, "ab"), (acme, "all/globex")]:
        with pytest.raises(Fatal) as raised:
            permits.path(tmp_path / path)
        assert raised.value.code is Code.FORBIDDEN


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "out").symlink_to("/")

    with pytest.raises(Fatal, match="may not read"):
        Permits("acme", (tmp_path / "in",)).path(tmp_path / "in" / "out" / "etc")


@pytest.mark.parametrize("path", ["a\0b", "~nobody-has-this-home/x", "{loop}"], ids=["nul", "home", "loop"])
def test_what_is_no_path_is_told_as_such(path: str, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with pytest.raises(ValidationFailure, match="is no path"):
        Permits("acme", (Path("/"),)).path(path.format(loop=tmp_path / "loop"))


@pytest.mark.parametrize("word", ["acme=", "acme=data", "", "data"])
def test_an_allowed_directory_that_is_not_absolute_is_refused(word: str) -> None:
    with pytest.raises(Fatal, match="is not absolute"):
        Permits.for_tenant("acme", [word])


def test_on_one_machine_the_local_tenant_reads_what_the_process_may_and_others_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("WINDROW_PATHS_ALLOWED", raising=False)
    allowed = read().paths_allowed

    assert Permits.for_tenant("local", allowed).roots == (Path("/"),)
    assert Permits.for_tenant("acme", allowed).roots == ()


def test_the_operator_lists_directories_between_spaces_or_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDROW_PATHS_ALLOWED", "acme=/srv/a, /srv/all/{tenant}")

    assert Permits.for_tenant("acme", read().paths_allowed).roots == (Path("/srv/a"), Path("/srv/all/acme"))


# the context, outside of a run


@pytest.mark.req("HV-2")
async def test_the_context_gives_notes_logging_credentials_and_a_clock(said: Said) -> None:
    async def credential() -> Secret:
        return Secret("correct-horse")

    moment = datetime(2026, 1, 31, tzinfo=UTC)
    given = context(credential=credential, now=lambda: moment)

    secret = await given.credential()
    await given.notes.put("etag", {"a": (1, 2)})
    given.say("connector.skipped", position="shelf 3", reason="correct-horse locked it")

    assert await given.notes.get("etag") == {"a": [1, 2]}
    assert await given.notes.get("other") is None
    assert given.now() == moment
    assert secret
    assert secret.reveal() == "correct-horse"
    (line,) = said.events("connector.skipped")
    assert (line["position"], line["reason"]) == ("shelf 3", "[redacted] locked it")


async def test_two_contexts_share_no_notes() -> None:
    one, other = context(), context()

    await one.notes.put("etag", 1)

    assert await other.notes.get("etag") is None
    assert await one.credential() is None


# the execution tool


@pytest.mark.req("HV-2")
async def test_the_tool_makes_a_call_and_tells_of_it(spans: Spans) -> None:
    async def call() -> str:
        return "page"

    assert await ExecutionTool("shelves", context()).call("list", call) == "page"

    (span,) = spans.named("connector.call")
    assert span.attributes
    assert (span.attributes["source"], span.attributes["call"]) == ("shelves", "list")


@pytest.mark.req("HV-2")
async def test_calls_are_counted_by_what_became_of_them() -> None:
    tool = ExecutionTool("counted", context())

    async def ends_in(error: BaseException | None) -> None:
        if error:
            raise error

    for error in (None, None, RetryableTransient("away", code=Code.NETWORK), asyncio.CancelledError()):
        with suppress(RetryableTransient, asyncio.CancelledError):
            await tool.call("list", partial(ends_in, error))

    counted = re.findall(
        r'^connector_calls_total\{[^}]*outcome="(\w+)",source="counted"\} (\S+)',
        generate_latest().decode(),
        re.MULTILINE,
    )
    assert {outcome: float(count) for outcome, count in counted} == {"ok": 2, "NETWORK": 1, "cancelled": 1}


@pytest.mark.req("HV-2")
async def test_the_tool_lets_no_more_calls_at_once_than_there_is_room_for() -> None:
    tool = ExecutionTool("shelves", context(), concurrency=2)
    gate, waiting, most = asyncio.Event(), 0, 0

    async def call() -> None:
        nonlocal waiting, most
        waiting += 1
        most = max(most, waiting)
        await gate.wait()
        waiting -= 1

    calls = [asyncio.create_task(tool.call("list", call)) for _ in range(6)]
    for _ in range(10):
        await asyncio.sleep(0)
    assert waiting == 2
    gate.set()
    await asyncio.gather(*calls)

    assert most == 2


async def test_no_call_begins_once_the_run_was_asked_to_end() -> None:
    begun = []

    async def call() -> None:
        begun.append(1)

    with pytest.raises(asyncio.CancelledError):
        await ExecutionTool("shelves", context(cancelled=lambda: True)).call("list", call)

    assert begun == []


async def test_a_failed_call_passes_as_it_is_and_leaves_room_for_the_next() -> None:
    tool = ExecutionTool("shelves", context())

    async def fails() -> None:
        raise RetryableTransient("away")

    async def works() -> int:
        return 1

    with pytest.raises(RetryableTransient, match="away"):
        await tool.call("list", fails)

    assert await tool.call("list", works) == 1
