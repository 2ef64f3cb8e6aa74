"""Connectors by entry point: whatever another distribution brings along, the others work."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, distributions
from pathlib import Path

import pytest

from windrow.connectors import registry
from windrow.connectors.registry import Offered, find, offered
from windrow.contracts.errors import Code, Fatal, ValidationFailure

GOOD = """
from pydantic import BaseModel
from windrow.connectors.connector import Connector
from windrow.connectors.spec import ConnectorSpec

class Config(BaseModel): ...

class Shelf(Connector):
    spec = ConnectorSpec(name="shelf", version="1", title="A shelf", source_system="shelf", config=Config)
    async def prepare(self): return []
    def fetch_pages(self, cursor, page_size): ...

class Half(Connector):
    spec = ConnectorSpec(name="half", version="1", title="Half of one", source_system="half", config=Config)
    async def prepare(self): return []

class Speechless(Connector):
    async def prepare(self): return []
    def fetch_pages(self, cursor, page_size): ...

class Stranger: ...
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution with entry points where it would be installed."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def install(name: str, code: str | None = GOOD, **entries: str) -> None:
        module = f"{name.replace('-', '_')}_for_test"
        if code is not None:
            (tmp_path / f"{module}.py").write_text(code)
        made.append(module)
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"{entry} = {module}:{thing}" for entry, thing in entries.items()]
        (about / "entry_points.txt").write_text(f"[{registry.GROUP}]\n" + "\n".join(lines))

    yield install
    for module in made:
        sys.modules.pop(module, None)


@pytest.fixture
def found(tmp_path: Path) -> Callable[[], list[EntryPoint]]:
    return lambda: [
        entry
        for each in distributions(path=[str(tmp_path)])
        for entry in each.entry_points
        if entry.group == registry.GROUP
    ]


def broken(offers: list[Offered]) -> dict[str, str | None]:
    return {offer.name: offer.broken for offer in offers}


def test_a_connector_of_another_distribution_is_found(install: Install, found: Callable[[], list[EntryPoint]]) -> None:
    install("acme-shelf", shelf="Shelf")

    (offer,) = offered(found())

    assert (offer.name, offer.broken, offer.distributions) == ("shelf", None, ("acme-shelf 1.0",))
    assert find("shelf", found()) is offer.connector


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (None, "ModuleNotFoundError"),
        ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("1 +", "SyntaxError"),
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no luck"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("", "AttributeError"),
    ],
)
def test_one_that_does_not_load_is_listed_with_the_reason_and_the_others_work(
    install: Install, found: Callable[[], list[EntryPoint]], code: str | None, reason: str
) -> None:
    install("acme-bad", code, bad="Shelf")
    install("acme-shelf", shelf="Shelf")

    told = broken(offered(found()))

    assert told["shelf"] is None
    assert reason in str(told["bad"])
    assert find("shelf", found()).spec.name == "shelf"


@pytest.mark.parametrize(
    ("name", "thing", "reason"),
    [
        ("stranger", "Stranger", "is no Connector"),
        ("config", "GOOD", "AttributeError"),
        ("half", "Half", "does not say how to fetch_pages"),
        ("speechless", "Speechless", "has no `spec`"),
        ("other", "Shelf", "calls itself 'shelf' in its spec"),
    ],
)
def test_what_is_no_connector_of_that_name_is_broken(
    install: Install, found: Callable[[], list[EntryPoint]], name: str, thing: str, reason: str
) -> None:
    install("acme", **{name: thing})

    assert reason in str(broken(offered(found()))[name])
    with pytest.raises(Fatal, match="cannot be used") as raised:
        find(name, found())
    assert "acme 1.0" in str(raised.value.hint)


def test_a_name_that_two_distributions_offer_is_refused(
    install: Install, found: Callable[[], list[EntryPoint]]
) -> None:
    install("acme-shelf", shelf="Shelf")
    install("globex-shelf", shelf="Shelf")

    (offer,) = offered(found())

    assert offer.connector is None
    assert "acme-shelf 1.0" in str(offer.broken)
    assert "globex-shelf 1.0" in str(offer.broken)
    with pytest.raises(Fatal, match="nothing says which is meant"):
        find("shelf", found())


def test_a_distribution_that_is_found_twice_on_the_path_offers_once(
    install: Install, found: Callable[[], list[EntryPoint]]
) -> None:
    install("acme-shelf", shelf="Shelf")

    assert broken(offered([*found(), *found()])) == {"shelf": None}


def test_an_unknown_name_is_told_with_near_ones() -> None:
    with pytest.raises(ValidationFailure, match="no connector 'fils'") as raised:
        find("fils")

    assert raised.value.code is Code.NOT_FOUND
    assert "did you mean files?" in str(raised.value.hint)


def test_a_name_is_found_without_loading_the_others(install: Install, found: Callable[[], list[EntryPoint]]) -> None:
    install("acme-shelf", shelf="Shelf")
    install("acme-heavy", "raise AssertionError('loaded')", heavy="Heavy")

    find("shelf", found())

    assert "acme_heavy_for_test" not in sys.modules
