"""What a first pass over a repository says."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.integration.connectors.git.reading import Reader
from tests.integration.connectors.git.workshop import BEGIN, Workshop

from windrow.contracts.errors import Code, Fatal, ValidationFailure
from windrow.contracts.item import Relation

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 12345\n"


def moment(minutes: int) -> datetime:
    return datetime.fromtimestamp(BEGIN + 60 * minutes, UTC)


async def test_a_file_says_what_it_is_and_which_commit_changed_it_last(reader: Reader, repository: Workshop) -> None:
    repository.write("src/main.py", "1\n")
    repository.commit("first")
    repository.write("src/main.py", "22\n")
    second = repository.commit("second")

    found = (await reader.items())["file:src/main.py"]

    assert (found.entity_type, found.display_name, found.canonical_path) == ("file", "main.py", "src/main.py")
    assert found.source_version == repository.git("rev-parse", "HEAD:src/main.py")
    assert (found.source_created_at, found.source_updated_at) == (moment(1), moment(2))
    assert found.labels == ("python",)
    assert found.attributes == {"mode": "100644", "size": 3}
    assert found.relations == (Relation("last_commit", f"commit:{second}"),)
    assert found.url is None


async def test_a_commit_names_its_author_and_its_parents(reader: Reader, repository: Workshop) -> None:
    first = repository.commit("first")
    second = repository.commit("The subject\n\nThe body,\nin two lines.", author="Bo <Bo@Example.org>")

    found = (await reader.items())[f"commit:{second}"]

    assert found.display_name == "The subject"
    assert found.attributes["body"] == "The body,\nin two lines."
    assert found.owners == ("Bo@Example.org",)
    assert found.relations == (Relation("author", "author:bo@example.org"), Relation("parent", f"commit:{first}"))
    assert found.source_created_at == moment(2)


async def test_authors_branches_and_tags_are_items(reader: Reader, repository: Workshop) -> None:
    tip = repository.commit()
    repository.git("branch", "feature/x")
    repository.git("tag", "v1")

    found = await reader.items()

    assert found["author:ada@example.org"].display_name == "Ada"
    assert found["branch:feature/x"].relations == (Relation("points_to", f"commit:{tip}"),)
    assert found["branch:feature/x"].source_updated_at == moment(1)
    assert found["tag:v1"].source_version == tip
    assert found["tag:v1"].labels == ()


async def test_an_annotated_tag_has_its_own_words(reader: Reader, repository: Workshop) -> None:
    tip = repository.commit()
    repository.git("tag", "-a", "v1", "-m", "The first.\n\nAnd more.", author="Tess <tess@example.org>")
    repository.git("tag", "-a", "v1-again", "v1", "-m", "a tag of a tag")

    found = await reader.items()

    assert found["tag:v1"].labels == ("annotated",)
    assert found["tag:v1"].attributes["tagger_email"] == "tess@example.org"
    assert found["tag:v1"].attributes["message"] == "The first.\n\nAnd more."
    assert found["tag:v1-again"].relations == (Relation("points_to", f"commit:{tip}"),)


async def test_a_tag_may_point_to_a_tree_or_a_blob(reader: Reader, repository: Workshop) -> None:
    repository.write("a.txt")
    repository.commit()
    repository.git("tag", "of-a-tree", "HEAD^{tree}")
    repository.git("tag", "of-a-blob", "HEAD:a.txt")

    found = await reader.items()

    assert found["tag:of-a-tree"].attributes["target_type"] == "tree"
    assert found["tag:of-a-blob"].attributes["target_type"] == "blob"
    assert found["tag:of-a-blob"].relations == ()


async def test_a_branch_and_a_tag_of_one_name_are_two(reader: Reader, repository: Workshop) -> None:
    old = repository.commit()
    repository.git("tag", "main")
    tip = repository.commit()

    found = await reader.items()

    assert (found["branch:main"].source_version, found["tag:main"].source_version) == (tip, old)
    assert f"commit:{tip}" in found


async def test_the_first_pass_lists_all_there_is(reader: Reader, repository: Workshop) -> None:
    for number in range(120):
        repository.write(f"{number:03}.txt", str(number))
    repository.commit()

    pages = await reader.pages()

    assert [page.opens for page in pages] == [True, False, False]
    assert [page.whole for page in pages] == [page.last for page in pages] == [False, False, True]


async def test_links_submodules_executables_and_pointers_are_told_apart(reader: Reader, repository: Workshop) -> None:
    repository.write("run.sh")
    (repository.place / "run.sh").chmod(0o755)
    (repository.place / "link").symlink_to("run.sh")
    repository.write("large.bin", POINTER)
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'c' * 40},vendored")
    repository.git("add", "run.sh", "link", "large.bin")
    repository.git("commit", "-q", "-m", "all kinds")

    found = await reader.items()

    assert found["file:run.sh"].labels == ("executable", "shell")
    assert found["file:link"].attributes["leads_to"] == "run.sh"
    assert (found["file:vendored"].labels, found["file:vendored"].source_version) == (("submodule",), "c" * 40)
    assert found["file:large.bin"].attributes["lfs"] == {"sha256": "ab" * 32, "size": 12345}


async def test_names_that_are_no_text_are_written_so_that_they_stay_unique(
    reader: Reader, repository: Workshop
) -> None:
    for name in (b"caf\xe9", b"caf\xc3\xa9", b"caf\\xe9", b"line\nbreak", b"tab\there", b'quote"'):
        repository.write(name, name)
    repository.commit()

    found = await reader.items(entities=["file"])

    assert sorted(found) == sorted(
        f"file:{name}" for name in (r"caf\xe9", "café", r"caf\\xe9", r"line\x0abreak", r"tab\x09here", 'quote"')
    )


async def test_a_very_long_path_keeps_its_beginning_and_a_hash(reader: Reader, repository: Workshop) -> None:
    blob = repository.git("hash-object", "-w", "--stdin", stdin=b"deep")
    paths = ["/".join(["d" * 200] * 8) + f"/{end}" for end in "ab"]
    for path in paths:
        repository.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
    repository.git("commit", "-q", "-m", "deep")

    found = list(await reader.items(entities=["file"]))

    assert len(found) == 2
    assert all(len(name) < 1024 and name.startswith("file:ddd") and "\\#" in name for name in found)


async def test_of_a_very_long_message_the_beginning_is_kept(reader: Reader, repository: Workshop) -> None:
    made = repository.git("commit-tree", "-F", "-", repository.git("write-tree"), stdin=b"s" * 3_000_000)
    repository.git("update-ref", "refs/heads/main", made)

    found = (await reader.items())[f"commit:{made}"]

    assert len(found.attributes["subject"]) == 2000
    assert len(found.display_name) == 200


@pytest.mark.parametrize("config", [{}, {"entities": ["file", "commit"]}])
async def test_an_empty_repository_is_an_empty_listing(reader: Reader, config: dict[str, list[str]]) -> None:
    (page,) = await reader.pages(**config)

    assert (list(page.records), page.opens, page.whole, page.last) == ([], True, True, True)
    assert [found.well for found in await reader.connector().prepare()] == [True, True, True]


async def test_a_branch_without_commits_leaves_the_others(reader: Reader, repository: Workshop) -> None:
    repository.write("a.txt")
    repository.commit()
    repository.git("symbolic-ref", "HEAD", "refs/heads/unborn")

    assert list(await reader.items()) == ["branch:main"]


async def test_a_detached_head_is_read(reader: Reader, repository: Workshop) -> None:
    old = repository.commit()
    repository.commit()
    repository.git("checkout", "-q", "--detach", old)

    found = await reader.items(entities=["commit"])

    assert list(found) == [f"commit:{old}"]


async def test_another_branch_can_be_chosen(reader: Reader, repository: Workshop) -> None:
    old = repository.commit()
    repository.git("branch", "stable")
    repository.commit()

    assert list(await reader.items(branch="stable", entities=["commit"])) == [f"commit:{old}"]


async def test_a_branch_that_is_not_there_is_told_with_those_that_are(reader: Reader, repository: Workshop) -> None:
    repository.commit()

    with pytest.raises(ValidationFailure) as refused:
        await reader.items(branch="nowhere")

    assert refused.value.code is Code.NOT_FOUND
    assert "main" in (refused.value.hint or "")


async def test_a_directory_of_a_work_tree_limits_the_files(reader: Reader, repository: Workshop) -> None:
    repository.write("src/a.py")
    repository.write("docs/b.md")
    repository.commit()

    assert list(await reader.items(path=str(repository.place / "src"), entities=["file"])) == ["file:src/a.py"]


async def test_bare_repositories_and_file_urls_are_read_in_place(
    reader: Reader, repository: Workshop, tmp_path: Path
) -> None:
    repository.write("a.txt")
    repository.commit()
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))

    by_path = await reader.items(path=str(tmp_path / "bare.git"))
    by_url = await reader.items(path=None, url=f"file://{tmp_path}/bare.git")

    assert by_path == by_url
    assert "file:a.txt" in by_path


async def test_a_linked_work_tree_has_its_own_head(reader: Reader, repository: Workshop, tmp_path: Path) -> None:
    repository.commit()
    repository.git("worktree", "add", "-q", "-b", "beside", str(tmp_path / "beside"))
    repository.place = tmp_path / "beside"
    there = repository.commit("beside")

    assert f"commit:{there}" in await reader.items(path=str(tmp_path / "beside"))


async def test_a_sha256_repository_is_read(reader: Reader, tmp_path: Path) -> None:
    made = Workshop(tmp_path / "sha256", "--object-format=sha256")
    made.write("a.txt")
    tip = made.commit()

    found = await reader.items(path=str(made.place))

    assert len(tip) == 64
    assert {f"commit:{tip}", "file:a.txt"} < found.keys()


async def test_what_is_no_repository_is_told(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    with pytest.raises(ValidationFailure, match="no git repository") as refused:
        await reader.items(path=str(tmp_path / "plain"))

    assert refused.value.hint


async def test_a_path_that_is_not_there_is_told(reader: Reader, tmp_path: Path) -> None:
    with pytest.raises(ValidationFailure, match="no directory"):
        await reader.items(path=str(tmp_path / "nowhere"))


async def test_a_damaged_repository_is_told(reader: Reader, repository: Workshop) -> None:
    tip = repository.commit()
    (repository.place / ".git" / "objects" / tip[:2] / tip[2:]).unlink()

    with pytest.raises(Fatal) as told:
        await reader.items()

    assert told.value.code is Code.CORRUPTED


async def test_files_can_be_chosen_by_globs(reader: Reader, repository: Workshop) -> None:
    for path in ("src/a.py", "src/a.pyc", "docs/b.md", "src/vendor/c.py", ".hidden/d.py"):
        repository.write(path)
    repository.commit()

    found = await reader.items(entities=["file"], include=["*.py", "docs/"], exclude=["vendor/"])

    assert list(found) == ["file:.hidden/d.py", "file:docs/b.md", "file:src/a.py"]


async def test_the_history_can_be_limited(reader: Reader, repository: Workshop) -> None:
    shas = [repository.commit(author=f"P{number} <p{number}@x>") for number in range(4)]

    newest = await reader.items(entities=["commit", "author"], max_commits=2)
    none = await reader.items(entities=["commit"], since="2030-01-01")
    all_of_them = await reader.items(entities=["commit"], since="2020-01-01")

    assert newest.keys() == {f"commit:{shas[2]}", f"commit:{shas[3]}", "author:p2@x", "author:p3@x"}
    assert (len(none), len(all_of_them)) == (0, 4)


async def test_a_merge_leaves_a_file_to_the_commit_that_changed_it(reader: Reader, repository: Workshop) -> None:
    repository.write("a.txt", "1\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "side")
    repository.write("side.txt", "2\n")
    side = repository.commit("side")
    repository.git("checkout", "-q", "main")
    repository.write("a.txt", "3\n")
    repository.commit("main")
    repository.clock += 60
    repository.git("merge", "-q", "--no-ff", "side", "-m", "both")

    found = await reader.items()

    assert found["file:side.txt"].relations == (Relation("last_commit", f"commit:{side}"),)
    assert found[f"commit:{repository.tip}"].labels == ("merge",)


async def test_what_a_merge_resolves_is_the_merges(reader: Reader, repository: Workshop) -> None:
    repository.write("a.txt", "1\n")
    repository.commit()
    repository.git("checkout", "-q", "-b", "side")
    repository.write("a.txt", "2\n")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.write("a.txt", "3\n")
    repository.commit()
    repository.clock += 60
    repository.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    repository.write("a.txt", "2 and 3\n")
    repository.git("add", "a.txt")
    repository.git("commit", "-q", "-m", "resolved")

    found = await reader.items()

    assert found["file:a.txt"].relations == (Relation("last_commit", f"commit:{repository.tip}"),)


async def test_commits_of_one_second_keep_their_order(reader: Reader, repository: Workshop) -> None:
    for number in range(12):
        repository.clock = BEGIN
        repository.write("a.txt", str(number))
        last = repository.commit()

    assert (await reader.items())["file:a.txt"].relations == (Relation("last_commit", f"commit:{last}"),)


async def test_the_mailmap_says_who_somebody_is(reader: Reader, repository: Workshop) -> None:
    sha = repository.commit(author="ada <ada@old.example>")
    repository.write(".mailmap", "Ada Lovelace <ada@example.org> <ada@old.example>\n")
    repository.commit()

    found = await reader.items()

    assert found["author:ada@example.org"].display_name in ("Ada", "Ada Lovelace")
    assert "author:ada@old.example" not in found
    assert found[f"commit:{sha}"].relations == (Relation("author", "author:ada@example.org"),)


async def test_odd_commits_become_items(reader: Reader, repository: Workshop) -> None:
    """No address, no name, dates beyond all reason, and a message in another encoding."""
    tree = repository.git("write-tree")
    odd = [
        f"tree {tree}\nauthor Nobody <> 1600000000 +0000\ncommitter Nobody <> 1600000000 +0000\n\nno address\n".encode(),
        f"tree {tree}\nauthor  <> 99999999999999 +0000\ncommitter  <x@y> 99999999999999 +9999\n\nlate\n".encode(),
        f"tree {tree}\nauthor A <a@b> nonsense\ncommitter A <a@b> 0 +0000\n\n".encode(),
        f"tree {tree}\nauthor \xe9 <e@b> 1600000000 +0000\ncommitter A <a@b> 1600000000 +0000\nencoding ISO-8859-1\n\ncaf\xe9\n".encode(
            "latin-1"
        ),
        f"tree {tree}\nauthor A <a@b> 1600000000 +0000\ncommitter A <a@b> 1600000000 +0000\n\n\xff\xfe not text\n".encode(
            "latin-1"
        ),
    ]
    shas = [repository.git("hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=raw) for raw in odd]
    parents = [word for sha in shas for word in ("-p", sha)]
    repository.git("update-ref", "refs/heads/main", repository.git("commit-tree", tree, *parents, "-m", "all"))

    found = await reader.items()

    commits = [found[f"commit:{sha}"] for sha in shas]
    assert commits[0].relations == (Relation("author", "author:<>Nobody"),)
    assert commits[1].source_created_at is None
    assert commits[2].display_name == shas[2][:12]
    assert (commits[3].display_name, commits[3].attributes["author"]) == ("café", "é")
    assert commits[4].display_name.endswith("not text")


async def test_a_shallow_clone_tells_what_it_knows(reader: Reader, repository: Workshop, tmp_path: Path) -> None:
    repository.write("old.txt")
    repository.commit()
    repository.write("new.txt")
    tip = repository.commit()
    repository.commit()
    repository.git("clone", "-q", "--depth=2", f"file://{repository.place}", str(tmp_path / "shallow"))

    found = await reader.items(path=str(tmp_path / "shallow"))

    assert found[f"commit:{tip}"].relations[0].type == "author"
    assert found["file:old.txt"].relations == ()
    assert len([name for name in found if name.startswith("commit:")]) == 2


async def test_a_partial_clone_is_read_without_fetching(reader: Reader, repository: Workshop, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.write("a.txt", "1\n" * 100)
    repository.commit()
    repository.git("mv", "a.txt", "b.txt")
    repository.write("c.txt", "3\n" * 100)
    repository.commit()
    clone = tmp_path / "partial"
    repository.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{repository.place}", str(clone))
    objects = sorted((clone / ".git/objects/pack").iterdir())

    found = await reader.items(path=str(clone))

    assert Relation("renamed_from", "file:a.txt") in found["file:b.txt"].relations
    assert "size" not in found["file:c.txt"].attributes
    assert sorted((clone / ".git/objects/pack").iterdir()) == objects


async def test_a_clone_of_a_forge_links_to_its_pages(reader: Reader, repository: Workshop) -> None:
    repository.git("remote", "add", "origin", "git@github.com:acme/tools.git")
    repository.write("src/a b.py")
    tip = repository.commit()

    found = await reader.items()

    assert found["file:src/a b.py"].url == "https://github.com/acme/tools/blob/main/src/a%20b.py"
    assert found[f"commit:{tip}"].url == f"https://github.com/acme/tools/commit/{tip}"
