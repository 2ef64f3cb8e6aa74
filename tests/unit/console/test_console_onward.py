"""After the login one goes on to a page of ours, whatever the address asks for."""

import pytest

from windrow.console.session.onward import onward


@pytest.mark.parametrize(
    "asked", ["/", "/runs", "/runs?outcome=failed&endpoint=a-b", "/runs/a%2Fb", "/endpoints/x.y_z~1"]
)
def test_our_own_pages_are_gone_on_to(asked: str) -> None:
    assert onward(asked) == asked


@pytest.mark.parametrize(
    "asked",
    [
        None,
        "",
        "runs",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "https://evil.example/",
        "https:evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "\t//evil.example",
        "/\n/evil.example",
        "/runs\r\nset-cookie: a=b",
        " /runs",
        "/runs#x",
        "/" + "x" * 1000,
    ],
)
def test_nothing_else_is(asked: str | None) -> None:
    assert onward(asked) == "/"
