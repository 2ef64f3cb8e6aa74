"""A directory tree, as the conformance suite needs it: several pages, with names that are not easy."""

from pathlib import Path

from tests.conformance.subjects import Subject

from windrow.connectors.files import FilesConnector


def subject(tmp_path: Path) -> Subject:
    """Some 170 entries: directories in directories, links, and names that are no UTF-8."""
    top = tmp_path / "tree"
    for number in range(140):
        file = top / f"shelf {number % 7}" / f"{number % 3}" / f"leaf-{number:03}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"leaf {number}\n" * number)
    (top / "empty").mkdir()
    (top / "line\nbreak.md").write_text("odd")
    Path((bytes(top) + b"/caf\xe9").decode("utf-8", "surrogateescape")).write_text("odd")
    (top / "to the first").symlink_to("shelf 0")

    def mutate() -> None:
        (top / "shelf 3" / "0" / "leaf-003.txt").write_text("changed")
        (top / "shelf 5" / "2" / "leaf-005.txt").unlink()

    return Subject(
        name="files",
        connector=FilesConnector,
        config={"path": str(top)},
        permits_root=tmp_path,
        mutate=mutate,
    )
