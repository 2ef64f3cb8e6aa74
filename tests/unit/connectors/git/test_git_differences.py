"""Two sorted lists, and what makes the one of the other."""

from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.git.config import Entity
from windrow.connectors.git.entries import RefEntry, changes

LISTS = st.dictionaries(st.text(max_size=3), st.sampled_from("abc"), max_size=12)


def listed(refs: dict[str, str]) -> list[RefEntry]:
    return [RefEntry(name, sha) for name, sha in sorted(refs.items())]


@given(LISTS, LISTS)
@settings(max_examples=200)
def test_the_changes_make_the_new_list_of_the_old_one(old: dict[str, str], new: dict[str, str]) -> None:
    made = dict(old)
    for change in changes(Entity.BRANCH, listed(old), listed(new)):
        if change.gone:
            del made[change.entry.key]
        else:
            made[change.entry.key] = change.entry.sha  # type: ignore[attr-defined]

    assert made == new


@given(LISTS, LISTS)
@settings(max_examples=200)
def test_nothing_is_told_twice_or_without_need(old: dict[str, str], new: dict[str, str]) -> None:
    told = [change.entry.key for change in changes(Entity.BRANCH, listed(old), listed(new))]

    assert told == sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
