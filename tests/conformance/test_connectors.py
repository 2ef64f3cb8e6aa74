"""Every connector that Windrow offers keeps what the conformance suite asks; a subject's source is built for it here."""

from pathlib import Path

import pytest
from tests.conformance import subjects

from windrow.connectors import registry
from windrow.connectors.conformance import CHECKS, Result, Verdict, examine
from windrow.connectors.spec import ConnectorSpec, Credential, Deletes


async def results(name: str, tmp_path: Path) -> list[Result]:
    source = tmp_path / "source"
    source.mkdir()
    subject = subjects.subject(name, source)
    try:
        return [result async for result in examine(subjects.candidate(subject, tmp_path / "cache"))]
    finally:
        subject.close()


def not_for(spec: ConnectorSpec) -> set[str]:
    """The checks that a connector's own words put aside."""
    deletes, capable = spec.capabilities.deletes, spec.capabilities
    return {
        *(["secrets"] if spec.credential is Credential.NONE else []),
        *(["incremental"] if not capable.incremental else []),
        *(["listing"] if deletes is not Deletes.LISTED else []),
        *(["deletes"] if deletes is Deletes.NEVER else []),
    }


@pytest.mark.req("HV-1", "HV-2", "OR-24")
@pytest.mark.parametrize("name", subjects.modules())
async def test_a_connector_conforms(name: str, tmp_path: Path) -> None:
    found = await results(name, tmp_path)

    assert [each for each in found if each.verdict is Verdict.FAILED] == []
    skipped = {each.name: each.detail for each in found if each.verdict is Verdict.SKIPPED}
    assert skipped.keys() <= not_for(registry.find(name).spec), skipped
    assert [each.name for each in found] == [check.name for check in CHECKS]


def test_every_registered_connector_has_a_subject() -> None:
    ours = {each.name for each in registry.offered() if any(who.startswith("windrow ") for who in each.distributions)}

    assert ours == set(subjects.modules())


def test_no_registered_connector_is_broken() -> None:
    assert {each.name: each.broken for each in registry.offered() if each.broken} == {}


@pytest.mark.req("HV-5")
@pytest.mark.parametrize("name", subjects.modules())
def test_how_a_connector_comes_to_its_credential_is_documented(name: str) -> None:
    spec = registry.find(name).spec
    page = Path(f"docs/how-to/harvest-{name}.md").read_text()

    assert bool(spec.credential_help) == (spec.credential is not Credential.NONE)
    assert ("credential" in page.lower()) == (spec.credential is not Credential.NONE)
