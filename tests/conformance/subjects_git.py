"""A repository, as the conformance suite needs it: a history with merges and renames, branches, tags, odd names."""

from pathlib import Path

from tests.conformance.subjects import Subject
from tests.integration.connectors.git.workshop import Workshop

from windrow.connectors.git import GitConnector


def subject(tmp_path: Path) -> Subject:
    """Some 190 things: files, commits by several people, branches and tags."""
    made = Workshop(tmp_path / "repository")
    for number in range(120):
        made.write(f"src/part {number % 6}/leaf_{number:03}.py", f"leaf = {number}\n" * (1 + number % 9))
    made.write("line\nbreak.md", "odd")
    made.write(b"caf\xe9.txt", "odd")
    (made.place / "to the first").symlink_to("src/part 0")
    made.commit("the beginning")
    for number in range(40):
        made.write(f"notes/day-{number:02}.md", f"day {number}\n")
        made.commit(f"day {number}\n\nWhat happened.", author=f"Writer {number % 4} <w{number % 4}@example.org>")
    made.git("tag", "v1")
    made.git("branch", "side", "HEAD~5")
    made.git("checkout", "-q", "side")
    made.write("side.md", "aside\n")
    made.commit("aside")
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "side", "-m", "both")
    made.git("mv", "notes/day-07.md", "notes/seventh.md")
    made.commit("renamed")
    made.git("tag", "-a", "v2", "-m", "the second")

    def mutate() -> None:
        made.write("src/part 3/leaf_003.py", "leaf = None\n")
        (made.place / "src/part 5/leaf_005.py").unlink()
        made.git("mv", "notes/day-08.md", "notes/eighth.md")
        made.commit("changed, deleted, renamed", author="New <new@example.org>")
        made.git("tag", "-d", "v1")

    return Subject(
        name="git",
        connector=GitConnector,
        config={"path": str(made.place)},
        permits_root=tmp_path,
        mutate=mutate,
    )
