"""Two libraries of a site, as the conformance suite needs them: folders in folders, shared things, names that are not easy."""

from pathlib import Path

from tests.conformance.subjects import Subject
from tests.fakes.onedrive import OneDrive

from windrow.connectors.onedrive import OneDriveConnector


def subject(tmp_path: Path) -> Subject:
    """Some 190 things."""
    fake = OneDrive().start()
    library, archive = fake.add("Documents"), fake.add("Archive", "b!drive-two")
    with fake.lock:
        for number in range(8):
            folder = library.make(f"Part {number}")
            for leaf in range(15):
                library.put(f"leaf {number}-{leaf} é#%.txt", folder.id, size=leaf)
        inner = library.make("inner", folder.id)
        told = [library.put(f"note {number}.md", inner.id) for number in range(20)]
        library.share(told[3].id, ["ada", "anyone"])
        kept = [archive.put(f"old {number}.pdf") for number in range(40)]

    def mutate() -> None:
        with fake.lock:
            library.edit(told[0].id, size=4711)
            library.delete(told[1].id)
            library.move(told[2].id, library.root)
            library.rename(inner.id, "renamed")
            archive.delete(kept[7].id)

    return Subject(
        name="onedrive",
        connector=OneDriveConnector,
        config={**fake.settings, "site": "acme.example:/sites/team", "permissions": True},
        permits_root=tmp_path,
        mutate=mutate,
        credential=fake.login.secret,
        addresses=(fake.door,),
        close=fake.close,
    )
