"""What an endpoint may say."""

from typing import Any

import pytest

from windrow.connectors.configuration import configured
from windrow.connectors.git import GitConnector
from windrow.connectors.git.config import GitConfig
from windrow.contracts.errors import ValidationFailure


def config(**given: Any) -> GitConfig:
    made = configured(GitConnector, given)
    assert isinstance(made, GitConfig)
    return made


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c touch% ran",
        "ext::sh",
        "--upload-pack=touch ran",
        "-x",
        "ssh://git@example.org/a.git",
        "git@example.org:a/b.git",
        "git://example.org/a.git",
        "ftp://example.org/a.git",
        "fd::17/foo",
        "/srv/git/a.git",
        "file://host/a.git",
        "file:///srv/%2e%2e/a.git",
        "https://example.org/a.git?x=1",
        "https://example.org/a.git#main",
        "https:///a.git",
        "https://example.org/a\nb",
        "https://example.org/a b",
        "",
    ],
)
def test_an_address_that_git_would_do_something_else_with_is_refused(url: str) -> None:
    with pytest.raises(ValidationFailure):
        config(url=url)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValidationFailure, match="credential_ref") as refused:
        config(url="https://ada:hunter2hunter2@example.org/a.git")

    assert "hunter2" not in refused.value.message


@pytest.mark.parametrize(
    "branch", ["", "-x", "--all", "a..b", "a b", "a~1", "a^", "a:b", "@{-1}", "a.lock", "a/", ".a", "a\nb", "x" * 300]
)
def test_what_is_no_branch_is_refused(branch: str) -> None:
    with pytest.raises(ValidationFailure):
        config(path="/srv/a", branch=branch)


@pytest.mark.parametrize("branch", ["main", "feature/x", "refs/heads/main", "a-b", "ümlaut", "v1.2"])
def test_a_branch_is_taken_by_its_name(branch: str) -> None:
    assert config(path="/srv/a", branch=branch).branch == branch.removeprefix("refs/heads/")


@pytest.mark.parametrize("given", [{}, {"path": "/a", "url": "https://example.org/a"}, {"path": "a/b"}])
def test_one_place_is_named_and_no_more(given: dict[str, str]) -> None:
    with pytest.raises(ValidationFailure):
        config(**given)


@pytest.mark.parametrize(
    "given", [{"include": ["!a"]}, {"exclude": ["a//b"]}, {"entities": []}, {"max_commits": 0}, {"username": "a:b"}]
)
def test_other_faults_are_found(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailure):
        config(path="/srv/a", **given)


def test_a_file_address_is_a_path() -> None:
    assert config(url="file:///srv/a.git").local_path == "/srv/a.git"
    assert config(url="https://example.org/a.git").local_path is None
