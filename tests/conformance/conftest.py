"""What a subject needs of the test run: `subject(tmp_path)` is a plain function, and a server is a fixture."""

import pytest
from tests.conformance import subjects_postgres


@pytest.fixture(autouse=True)
def _server_for_postgres(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of this test run, for the one subject that is built on it; the others do not start it."""
    if "postgres" in request.node.name:
        monkeypatch.setattr(subjects_postgres, "server_url", request.getfixturevalue("server_url"))
