"""Whatever is done to a repository: reading on leaves the same as reading anew."""

import random
import shutil

import pytest
from tests.integration.connectors.git.reading import Reader, left
from tests.integration.connectors.git.workshop import Workshop

NAMES = ["a.txt", "b.txt", "dir/c.txt", "dir/d.py", "deep/er/e.md"]
STEPS = 30


class Hands:
    """Does something to a repository, at random."""

    def __init__(self, repository: Workshop, chance: random.Random) -> None:
        self.repository, self.chance = repository, chance
        self.deeds = [self.write, self.write, self.remove, self.rename, self.aside, self.tag, self.merge, self.rewind]

    def act(self) -> None:
        self.repository.clock += 60
        self.chance.choice(self.deeds)()

    def commit(self) -> None:
        who = self.chance.choice(["Ada", "Bo", "Cy"])
        self.repository.commit(f"by {who}", author=f"{who} {self.chance.randrange(2)} <{who}@example.org>")

    def write(self) -> None:
        self.repository.write(self.chance.choice(NAMES), f"{self.chance.randrange(9)}\n" * 30)
        self.commit()

    def remove(self) -> None:
        (self.repository.place / self.chance.choice(NAMES)).unlink(missing_ok=True)
        self.commit()

    def rename(self) -> None:
        old, new = (self.repository.place / name for name in self.chance.sample(NAMES, 2))
        if old.exists():
            new.parent.mkdir(parents=True, exist_ok=True)
            old.rename(new)
        self.commit()

    def aside(self) -> None:
        """Work on a branch, to be merged when other commits are newer."""
        self.repository.git("checkout", "-q", "-B", f"b{self.chance.randrange(3)}")
        self.repository.write(f"aside/{self.repository.clock}.txt", str(self.chance.random()))
        self.commit()
        self.repository.git("checkout", "-q", "main")

    def tag(self) -> None:
        name = f"t{self.chance.randrange(3)}"
        if name in self.repository.git("tag").split():
            self.repository.git("tag", "-d", name)
        else:
            self.repository.git("tag", "-a", name, "-m", "here")

    def merge(self) -> None:
        there = self.repository.git("branch", "--list", "b*", "--format=%(refname:short)").split()
        if there:
            self.repository.clock += 60
            try:
                self.repository.git("merge", "-q", "-X", "ours", self.chance.choice(there), "-m", "both")
            except AssertionError:
                # what was rewound in the meantime may not fit any more
                self.repository.git("merge", "--abort")

    def rewind(self) -> None:
        self.repository.git("reset", "-q", "--hard", f"HEAD~{self.chance.randrange(1, 3)}")
        self.repository.write("again.txt", str(self.chance.random()))
        self.commit()


@pytest.mark.campaign
async def test_reading_on_leaves_the_same_as_reading_anew(reader: Reader, repository: Workshop, seed: int) -> None:
    chance = random.Random(seed)
    hands = Hands(repository, chance)
    for _ in range(4):
        hands.write()
    kept = left(await reader.items())
    cursor = reader.cursor
    for _ in range(STEPS):
        hands.act()
        if chance.random() < 0.5:
            continue
        if chance.random() < 0.2:
            shutil.rmtree(reader.cache)
        kept = left(kept, await reader.items(cursor))
        cursor = reader.cursor

        assert kept == left(await Reader(reader.permitted, reader.permitted / "fresh", reader.config).items())
        shutil.rmtree(reader.permitted / "fresh")
