"""The specs that Windrow comes with: in order, as the requirements say, and the same as the code."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from windrow.app.declarations import registered, workflow_name
from windrow.connectors import spec as connector
from windrow.contracts.errors import Fatal, ValidationFailure
from windrow.contracts.retry import POLICIES, RUN_BACKOFF
from windrow.orchestration.probe import ProbeWorkflow
from windrow.specs import SHIPPED, check, copy, entries, load, read

ROOT = Path(__file__).parents[3]
SPECS = load()


@pytest.mark.req("MW-2")
def test_the_specs_and_the_code_agree() -> None:
    assert [str(each) for each in check(read(), registered())] == []


def test_a_workflow_is_known_by_the_name_that_it_is_registered_with() -> None:
    assert workflow_name(ProbeWorkflow) == "probeWorkflow"


@pytest.mark.req("MW-1")
def test_the_queues_are_declared_with_their_runtime() -> None:
    assert {name: queue.runtime for name, queue in SPECS.queues.items()} == {"meta-py": "python", "meta-ts": "any"}


@pytest.mark.req("MW-1")
def test_the_heartbeat_is_the_directives_and_30_seconds_unless_it_says_otherwise() -> None:
    said = SPECS.directive("metadataCollectionWorkflow").model_dump(exclude={"heartbeat_seconds"})

    assert entries.Directive(**said).heartbeat == timedelta(seconds=30)
    assert entries.Directive(**said, heartbeat_seconds=10).heartbeat == timedelta(seconds=10)


@pytest.mark.req("OR-1")
def test_the_families_keep_their_histories_as_long_as_required() -> None:
    kept = {name: family.retention_days for name, family in SPECS.families.items()}

    assert kept == {"harvesters": 30, "backfills": 30, "experiments": 7}
    assert all(family.owner and family.contact and family.encryption for family in SPECS.families.values())


def test_workflows_run_in_the_families_that_were_decided() -> None:
    assert {name: each.family for name, each in SPECS.workflows.items()} == {
        "endpointSyncWorkflow": "harvesters",
        "metadataCollectionWorkflow": "harvesters",
        "previewDatasetWorkflow": "harvesters",
        "backfillWorkflow": "backfills",
        "exportWorkflow": "backfills",
        "retentionWorkflow": "harvesters",
    }


@pytest.mark.req("OR-3")
def test_every_workflow_declares_its_queues() -> None:
    for workflow in SPECS.workflows.values():
        assert {workflow.queue, *workflow.activity_queues} <= SPECS.queues.keys()
        assert workflow.activity_queues


def test_the_declared_delays_are_those_that_the_code_waits() -> None:
    declared = {retry.error_class: retry.policy for retry in SPECS.retries.values()}

    assert declared == {None: RUN_BACKOFF} | {kind.__name__: policy for kind, policy in POLICIES.items()}


@pytest.mark.req("OR-3")
def test_every_contract_that_the_code_speaks_is_declared_by_a_directive_and_named_in_the_contracts() -> None:
    declared = {contract for each in SPECS.directives.values() for contract in each.contracts}
    source = ROOT / "src" / "windrow" / "contracts"
    spoken = {name for file in source.glob("*.py") for name in re.findall(r'"([a-z-]+@[0-9]+)"', file.read_text())}

    assert declared == spoken


def test_the_bounds_of_a_page_are_the_connectors() -> None:
    assert (entries.SMALLEST_PAGE, entries.LARGEST_PAGE) == (connector.SMALLEST_PAGE, connector.LARGEST_PAGE)


def test_every_agent_that_speaks_is_declared() -> None:
    source = ROOT / "src" / "windrow"
    spoken = {name for file in source.rglob("*.py") for name in re.findall(r'agent="([a-z-]+)"', file.read_text())}

    assert spoken
    assert spoken <= SPECS.agents.keys()


@pytest.mark.req("OR-4")
def test_the_page_of_agents_lists_each_agent_and_directive_with_what_is_declared() -> None:
    page = (ROOT / "docs" / "Agent.md").read_text()

    for name, agent in SPECS.agents.items():
        assert re.search(rf"^\| `{name}` \|.*\| {re.escape(agent.says)} \|$", page, re.MULTILINE), name
    for name, each in SPECS.directives.items():
        cells = [f"`{name}`", f"`{SPECS.spec_ref(name)}`", f"`{each.agent}`", f"`{each.queue}`", f"`{each.workflow}`"]
        assert f"| {' | '.join(cells)} | `{each.family}` | {each.page_size} | {each.heartbeat_seconds} s |" in page


@pytest.mark.req("OR-1")
def test_each_encryption_alias_has_its_line_in_the_runbook_of_namespaces() -> None:
    page = (ROOT / "docs" / "how-to" / "namespaces.md").read_text()

    for name, family in SPECS.families.items():
        assert f"| `{name}` | `{family.encryption}` | {family.retention_days} days |" in page


def test_a_directive_that_nobody_declared_is_fatal() -> None:
    with pytest.raises(Fatal, match="no spec declares the directive 'mowWorkflow'"):
        SPECS.directive("mowWorkflow")


def test_a_connector_is_named_by_its_own_spec_and_a_workflow_by_ours() -> None:
    assert SPECS.spec_ref("git") == "connector.git@1"
    assert SPECS.spec_ref("endpointSyncWorkflow") == "workflow.endpointSyncWorkflow@1"


def test_a_copy_of_the_specs_says_the_same_and_overwrites_nothing(tmp_path: Path) -> None:
    written = copy(tmp_path / "mine")

    assert load(tmp_path / "mine") == SPECS
    assert [file.name for file in written] == sorted(file.name for file in SHIPPED.iterdir())
    with pytest.raises(ValidationFailure, match="is there already"):
        copy(tmp_path / "mine")
