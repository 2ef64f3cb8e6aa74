"""Broken specs: every kind of mistake is found, with the line and the reason, and none hides another."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.specs.sample import CODE, WHOLE, broken, found, line, told

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.specs import Offered, load


def test_specs_that_agree_with_one_another_and_with_the_code_are_in_order(tmp_path: Path) -> None:
    assert told(tmp_path, sample=WHOLE) == []


@pytest.mark.parametrize(
    ("written", "instead", "expected"),
    [
        ("runtime: python", "runtime: go", "4: queues.meta-py.runtime: should be 'python' or 'any', not 'go'"),
        ("retention_days: 30", "retention_days: thirty", "10: families.harvesters.retention_days: should be a valid integer, not 'thirty'"),
        ("retention_days: 30", "retention_days: true", "10: families.harvesters.retention_days: should be a valid integer, not True"),
        ("retention_days: 30", "retention_days: 0", "10: families.harvesters.retention_days: should be greater than or equal to 1, not 0"),
        ("    owner: platform\n", "", "7: families.harvesters.owner: is missing"),
        ("    owner: platform\n", "    owner: platform\n    colour: red\n", "9: families.harvesters.colour: not known"),
        ("owner: platform", "owner: [platform]", "8: families.harvesters.owner: should be a valid string, not ['platform']"),
        ("  harvesters:\n    owner", "  my.family:\n    owner", "7: families.my.family: is not a name for one of the families"),
        ("agents:\n", "people:\n  ann: {says: Hello.}\nagents:\n", "1: people: not known; a file holds agents"),
        ("agents:\n  harvester: {says: Reads.}", "agents: [harvester]", "1: agents: a mapping from names to what they are is due"),
        ("harvester: {says: Reads.}", "harvester: reads", "2: agents.harvester: a mapping of its fields is due"),
        ("queues: [meta-py]", "queues: []", "27: activities.rake.pull.queues: at least one is due"),
        ("queues: [meta-py]", "queues: meta-py", "27: activities.rake.pull.queues: a list is due"),
        ("ceiling_seconds: 600", "ceiling_seconds: 6", "14: retries.transient: ceiling_seconds is below first_seconds"),
        ("error_class: Conflict", "error_class: Oops", "15: retries.conflict.error_class: should be 'RetryableTransient', "),
    ],
)  # fmt: skip
def test_an_entry_that_is_not_as_its_model_says_is_told(
    tmp_path: Path, written: str, instead: str, expected: str
) -> None:
    findings = told(tmp_path, sample=broken(written, instead))

    assert [each for each in findings if each.startswith(f"sample.yaml:{expected}")], findings


@pytest.mark.req("MW-2", "MW-40")
@pytest.mark.parametrize(("size", "bound"), [(20, "greater than or equal to 50"), (501, "less than or equal to 500")])
def test_a_page_size_outside_50_to_500_is_told(tmp_path: Path, size: int, bound: str) -> None:
    text = WHOLE.replace("page_size: 100", f"page_size: {size}", 1)

    assert told(tmp_path, sample=text) == [
        f"sample.yaml:{line('page_size', text)}: directives.rakeWorkflow.page_size: should be {bound}, not {size}"
    ]


@pytest.mark.req("MW-2")
def test_a_directive_on_an_undeclared_queue_is_told(tmp_path: Path) -> None:
    text = WHOLE.replace("    queue: meta-py\n", "    queue: meta-go\n")

    assert f"sample.yaml:{line('meta-go', text)}: directives.shelves.queue: 'meta-go' is not among the queues" in told(
        tmp_path, sample=text
    )


@pytest.mark.parametrize(
    ("written", "instead", "reason"),
    [
        ("    agent: harvester\n    queue: meta-py", "    agent: nobody\n    queue: meta-py", "directives.shelves.agent: 'nobody' is not among the agents"),
        ("queue: meta-py\n    workflow: rakeWorkflow", "queue: meta-py\n    workflow: mowWorkflow", "directives.shelves.workflow: 'mowWorkflow' is not among the workflows"),
        ("      - conflict\n", "      - conflicts\n", "directives.shelves.retries.1: 'conflicts' is not among the retries"),
        ("      - conflict\n", "", "directives.shelves.retries: no policies for Conflict, where one is due"),
        ("      - conflict\n", "      - conflict\n      - conflict\n", "directives.shelves.retries: 2 policies for Conflict, where one is due"),
        ("      - fatal\n", "      - fatal\n      - runs\n", "directives.shelves.retries: a policy between runs is no policy within one"),
        ("backoff: runs", "backoff: conflict", "directives.rakeWorkflow.backoff: 'conflict' is for errors within a run"),
        ("backoff: runs", "backoff: never", "directives.rakeWorkflow.backoff: 'never' is not among the retries"),
        ("[meta-py, meta-ts]", "[meta-py, meta-go]", "workflows.rakeWorkflow.activity_queues.1: 'meta-go' is not among the queues"),
        ("[meta-py, meta-ts]", "[meta-ts]", "directives.shelves.queue: rakeWorkflow has no activities on 'meta-py'"),
        ("    queue: meta-ts\n    activity_queues", "    queue: meta-py\n    activity_queues", "directives.rakeWorkflow.queue: the workflow runs on 'meta-py'"),
        ("    family: harvesters\n    says: Rakes.", "    family: strays\n    says: Rakes.", "workflows.rakeWorkflow.family: 'strays' is not among the families"),
        ("    family: harvesters\n    says: Rakes.", "    family: strays\n    says: Rakes.", "directives.rakeWorkflow.family: rakeWorkflow runs in 'strays'"),
        ("first_seconds: 30", "first_seconds: 20", "retries.transient.first_seconds: is 20.0, and the code says 30.0"),
        ("attempts: null", "attempts: 9", "retries.runs.attempts: is 9, and the code says None"),
        ("  rakeWorkflow:\n    version", "  rake:\n    version", "workflows.rakeWorkflow: no directive has its name"),
    ],
)  # fmt: skip
def test_specs_that_disagree_with_one_another_are_told(tmp_path: Path, written: str, instead: str, reason: str) -> None:
    findings = [each.partition(": ")[2] for each in told(tmp_path, sample=broken(written, instead))]

    assert reason in findings


@pytest.mark.req("MW-2")
def test_a_contract_version_that_the_code_does_not_know_is_told(tmp_path: Path) -> None:
    text = WHOLE.replace("contracts: [normalized-item@1]\n    says: Read shelves", "contracts: [normalized-item@9]\n    says: Read shelves")  # fmt: skip

    reason = f"'normalized-item@9' is no contract that the code knows: {', '.join(sorted(CODE.contracts))}"
    assert told(tmp_path, sample=text) == [f"sample.yaml:{line('@9', text)}: directives.shelves.contracts.0: {reason}"]


@pytest.mark.req("MW-2")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (replace(CODE, workflows={"meta-ts": frozenset({"rakeWorkflow", "mowWorkflow"})}), "19: workflows: 'mowWorkflow' is registered for 'meta-ts', and not declared"),
        (replace(CODE, workflows={}), "20: workflows.rakeWorkflow: no worker registers it"),
        (replace(CODE, workflows={"meta-py": frozenset({"rakeWorkflow"})}), "20: workflows.rakeWorkflow: is registered for meta-py, and declared for meta-ts"),
        (replace(CODE, workflows={"meta-go": frozenset({"rakeWorkflow"})}), "3: queues: workers serve 'meta-go', which is not declared"),
        (replace(CODE, families={}), "20: workflows.rakeWorkflow: no worker registers it"),
        (replace(CODE, families={"strays": frozenset({"rakeWorkflow"})}), "20: workflows.rakeWorkflow: is registered for strays, and declared for harvesters"),
        (replace(CODE, families={"strays": frozenset({"rakeWorkflow"})}), "6: families: workers serve 'strays', which is not declared"),
        (replace(CODE, activities={"meta-py": frozenset({"rake.pull", "rake.push"})}), "25: activities: 'rake.push' is registered for 'meta-py', and not declared"),
        (replace(CODE, activities={}), "26: activities.rake.pull: no worker registers it"),
        (replace(CODE, activities={"meta-ts": frozenset({"rake.pull"})}), "26: activities.rake.pull: is registered for meta-ts, and declared for meta-py"),
        (replace(CODE, activities={"meta-go": frozenset({"rake.pull"})}), "3: queues: workers serve 'meta-go', which is not declared"),
        (replace(CODE, connectors={}), "41: directives.shelves: is neither a workflow nor a connector"),
        (replace(CODE, connectors={"shelves": Offered("1", "meta-py", 200)}), "47: directives.shelves.page_size: is 100, and the connector says 200"),
        (replace(CODE, connectors={"shelves": Offered("2", "meta-py", 100)}), "42: directives.shelves.version: is '1', and the connector says '2'"),
        (replace(CODE, connectors={"shelves": Offered("1", "meta-ts", 100)}), "44: directives.shelves.queue: is 'meta-py', and the connector says 'meta-ts'"),
        (replace(CODE, connectors={**(CODE.connectors or {}), "git": Offered("1", "meta-py", 100)}), "29: directives: the connector 'git' is not declared"),
        (replace(CODE, connectors={**(CODE.connectors or {}), "theirs": Offered("1", "meta-go", 100, shipped=False)}), "3: queues: the connector 'theirs' wants 'meta-go', which is not declared"),
    ],
)  # fmt: skip
def test_specs_that_disagree_with_the_code_are_told(tmp_path: Path, code: object, expected: str) -> None:
    assert f"sample.yaml:{expected}" in told(tmp_path, code, sample=WHOLE)  # type: ignore[arg-type]


def test_a_connector_of_another_distribution_declares_itself(tmp_path: Path) -> None:
    theirs = {**(CODE.connectors or {}), "theirs": Offered("7.0.0rc1", "meta-py", 100, shipped=False)}

    assert told(tmp_path, replace(CODE, connectors=theirs), sample=WHOLE) == []


def test_a_name_that_two_files_declare_is_told_in_the_second_with_the_place_of_the_first(tmp_path: Path) -> None:
    assert told(tmp_path, a=WHOLE, b="queues:\n  meta-py: {runtime: any, says: Again.}\n") == [
        f"b.yaml:2: queues.meta-py: is declared twice, first in {tmp_path}/a.yaml:4".replace(f"{tmp_path}/", "")
    ]


def test_everything_that_is_wrong_in_every_file_is_told_at_once(tmp_path: Path) -> None:
    text = broken("runtime: any", "runtime: go", broken("retention_days: 30", "retention_days: 0"))

    findings = found(tmp_path, a=text, b="", c="queues:\n\tx: 1\n", d="- a list\n", e="nothing: here\n")

    assert [(Path(each.file).name, each.line) for each in findings] == [
        ("a.yaml", 5),
        ("a.yaml", 10),
        ("b.yaml", 1),
        ("c.yaml", 2),
        ("d.yaml", 1),
        ("e.yaml", 1),
    ], "what names the broken entries is not told of for that"


def test_a_fault_of_an_entry_hides_no_other(tmp_path: Path) -> None:
    text = broken(
        "    backoff: runs\n    contracts: [normalized-item@1]\n", "    backoff: no\n    contracts: [other@1]\n"
    )
    text = text.replace("page_size: 100", "page_size: 20", 1)

    assert [each.partition(": ")[2].partition(":")[0] for each in told(tmp_path, sample=text)] == [
        "directives.rakeWorkflow.page_size",
        "directives.rakeWorkflow.backoff",
        "directives.rakeWorkflow.contracts.0",
    ]


def test_a_directory_without_spec_files_and_files_that_are_not_read_are_told(tmp_path: Path) -> None:
    assert told(tmp_path)[0].endswith("no spec file is here: their names end in .yaml")

    (tmp_path / "queues.yml").write_text(WHOLE)
    (tmp_path / "folder.yaml").mkdir()
    findings = told(tmp_path, sample=WHOLE)

    assert findings == [
        "folder.yaml:1: is no file",
        "queues.yml:1: is not read: the names of spec files end in .yaml",
    ]


def test_a_path_that_is_no_directory_is_wrong_input(tmp_path: Path) -> None:
    with pytest.raises(ValidationFailure, match="is not a directory"):
        load(tmp_path / "nowhere")


def test_a_process_refuses_to_run_by_specs_with_anything_wrong_in_them(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        broken("runtime: any", "runtime: go").replace("retention_days: 30", "retention_days: 0")
    )

    with pytest.raises(Fatal, match=r"a.yaml:5: queues.meta-ts.runtime: .* \(and 1 more\)") as caught:
        load(tmp_path)

    assert caught.value.code is Code.CONFIGURATION
    assert caught.value.hint
