"""Which taps may be run is the operator's word."""

import sys
from pathlib import Path

import pytest

from windrow.connectors.permits import Permits
from windrow.connectors.singer.config import SingerConfig
from windrow.connectors.taps import Taps
from windrow.contracts.errors import Code, Fatal
from windrow.settings import read


def test_a_tap_is_for_all_tenants_or_for_one() -> None:
    allowed = [f"python={sys.executable}", "other:secret=/bin/sh", f"acme:own={sys.executable}", "acme:python=/bin/sh"]

    acme, other = (Taps.for_tenant(name, allowed) for name in ("acme", "other"))

    assert dict(acme.executables) == {"python": Path("/bin/sh"), "own": Path(sys.executable)}
    assert dict(other.executables) == {"python": Path(sys.executable), "secret": Path("/bin/sh")}


@pytest.mark.parametrize("name", ["own", "../bin/sh", "/bin/sh", ""])
def test_nothing_else_is_run(name: str) -> None:
    with pytest.raises(Fatal, match="not one that may be run here") as refused:
        Permits("acme").taps.find(name)

    assert refused.value.code is Code.FORBIDDEN


@pytest.mark.parametrize("entry", ["/bin/sh", "sh=bin/sh", "=/bin/sh", "acme:=/bin/sh"])
def test_an_entry_that_is_not_understood_is_told(entry: str) -> None:
    with pytest.raises(Fatal, match="is not understood"):
        Taps.for_tenant("acme", [entry])


def test_nobody_may_run_any_tap_until_the_operator_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINDROW_TAPS_ALLOWED", raising=False)
    assert read().taps_allowed == ()

    monkeypatch.setenv("WINDROW_TAPS_ALLOWED", "a=/opt/a, acme:b=/opt/b")
    assert read().taps_allowed == ("a=/opt/a", "acme:b=/opt/b")


def test_an_endpoint_names_no_path() -> None:
    with pytest.raises(ValueError, match="not a path"):
        SingerConfig(tap="/bin/sh")
