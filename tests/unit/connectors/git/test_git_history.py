"""What the raw differences of a history say about the files that are there now."""

from windrow.connectors.git.history import NEVER, History, Past

A, B, C = (letter * 40 for letter in "abc")


def taken(
    *tokens: str | bytes, among: set[bytes] | None = None, unknown: frozenset[str] = frozenset()
) -> dict[bytes, Past]:
    history = History(among or {b"x", b"y", b"z"}, unknown)
    for token in tokens:
        history.take([token if isinstance(token, bytes) else token.encode()])
    return history.paths


def difference(status: str, colons: str = ":") -> str:
    return f"\n{colons}100644 100644 {'1' * 40} {'2' * 40} {status}"


def test_the_latest_commit_counts() -> None:
    found = taken(f"{A} 30", difference("M"), "x", f"{B} 20", difference("M"), "x", f"{C} 10", difference("A"), "x")

    assert (found[b"x"].changed, found[b"x"].added) == ((30, A), (10, C))


def test_of_one_second_the_commit_that_comes_first_counts() -> None:
    found = taken(f"{C} 30", difference("M"), "x", f"{A} 30", difference("M"), "x")

    assert found[b"x"].changed == (30, C)


def test_a_path_never_passes_for_a_commit_or_a_difference() -> None:
    posing = [f"{B} 99".encode(), difference("D").strip().encode(), b"\n"]
    found = taken(f"{A} 30", *(part for path in posing for part in (difference("M"), path)), among=set(posing))

    assert {path: past.changed for path, past in found.items()} == dict.fromkeys(posing, (30, A))


def test_a_rename_tells_where_a_file_came_from() -> None:
    found = taken(f"{A} 30", difference("M"), "y", f"{B} 20", difference("R097"), "x", "y")

    assert (found[b"y"].came_from, found[b"y"].changed) == (b"x", (30, A))
    assert b"x" not in found


def test_a_file_that_was_added_after_its_rename_came_from_nowhere() -> None:
    found = taken(f"{A} 30", difference("A"), "y", f"{B} 20", difference("R100"), "x", "y")

    assert found[b"y"].came_from == b""


def test_a_merge_has_one_path_whatever_its_parents_did() -> None:
    found = taken(
        f"{A} 30", difference("RM", "::"), "x", difference("AA", "::"), "y", difference("DD", "::"), "z", f"{B} 5"
    )

    assert found[b"x"].added == NEVER
    assert found[b"y"].added == (30, A)
    assert b"z" not in found


def test_commits_without_differences_say_nothing() -> None:
    found = taken(f"{A} 30", b"", f"{B} 20", difference("M"), "x")

    assert found[b"x"].changed == (20, B)


def test_where_a_shallow_clone_ends_nothing_is_learnt() -> None:
    assert taken(f"{A} 30", difference("A"), "x", unknown=frozenset({A})) == {}


def test_what_nobody_asks_about_is_not_kept() -> None:
    assert taken(f"{A} 30", difference("A"), "elsewhere") == {}


def test_a_broken_time_is_the_earliest() -> None:
    found = taken(f"{A} ", difference("M"), "x", f"{B} 1", difference("M"), "x")

    assert found[b"x"].changed == (1, B)


def test_what_was_known_before_lies_below() -> None:
    new = Past(changed=(30, A))
    new.lay_over(Past(changed=(20, B), added=(10, ""), renamed=(10, ""), renamed_from=b"old"))

    assert (new.changed, new.added, new.came_from) == ((30, A), (10, ""), b"old")
