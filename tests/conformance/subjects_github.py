"""An organisation at GitHub, as the conformance suite needs it: several repositories, with all that they can hold."""

import random
from pathlib import Path

from tests.conformance.subjects import Subject
from tests.fakes.github import GitHub, people

from windrow.connectors.github import GithubConnector


def subject(tmp_path: Path) -> Subject:
    """Some 190 things, among them an empty repository."""
    hub = GitHub().start()
    account = hub.account
    people.settle(account, random.Random(7), repositories=3, things=150)
    account.add("empty")

    def mutate() -> None:
        with hub.lock:
            account.tick(60)
            first, second, *_ = account.repositories.values()
            for repository in (first, second):
                issue = next(each for each in repository.issues.values() if each.pull_id is None)
                issue.title = "changed"
                account.touch(issue)
            del first.issues[max(number for number, each in first.issues.items() if each.pull_id is None)]
            account.commit(second, "changed", {"docs/index.md": None, "docs/other.md": "other"})
            account.rename(second, "another-name")

    return Subject(
        name="github",
        connector=GithubConnector,
        config=hub.config,
        permits_root=tmp_path,
        mutate=mutate,
        credential=hub.credential,
        addresses=(hub.door,),
        close=hub.close,
    )
