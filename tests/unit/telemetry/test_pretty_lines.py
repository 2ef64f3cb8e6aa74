"""At a terminal a line begins with what is new, and says briefly whose it is."""

import re
from typing import Any

import pytest

from windrow.telemetry import bound, emit, log

WHOSE = {
    "agent": "meta-worker",
    "directive": "metadataCollectionWorkflow",
    "tenant_id": "local",
    "project_id": "default",
    "spec_id": "connector.rest@1",
    "correlation_id": "01a1e559-f419-7b36-97d9-68b4d9348434",
}
RUN: dict[str, Any] = {
    "workflow_id": "collect/local/default/inventory",
    "temporal_run_id": "01a1e559-f4bb-7b73-b78b-f70612c17f61",
    "process": "worker",
}


@pytest.mark.req("LT-5")
def test_a_person_sees_what_happened_before_to_whom_and_is_spared_the_machinery() -> None:
    written: list[str] = []
    log.configure(format=log.Format.PRETTY, write=written.append)

    with bound(**WHOSE):
        emit("process.started", **RUN)

    said = re.sub(r"\x1b\[[0-9;]*m", "", written[0])
    assert said.split()[1:] == [
        *("INFO", "process.started", "process=worker"),
        *("agent=meta-worker", "tenant_id=local", "project_id=default", "correlation_id=d9348434"),
    ]
