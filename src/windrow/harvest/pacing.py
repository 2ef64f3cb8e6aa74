"""How large the next page is to be: smaller near the ceiling and when the source asks for less, larger when it is calm.

Pure: sizes in, size out.
"""

from dataclasses import dataclass, replace

from windrow.connectors.spec import PageSizes

CEILING = 50 * 1024 * 1024
NEAR = 0.8
# so many calm pages in a row before the size is stepped up again
PATIENCE = 3
# D18: a page in trouble may go below the negotiable sizes, down to this
LEAST = 1


@dataclass(frozen=True, slots=True)
class Pace:
    """The present size, the one to come back to, and how many calm pages there were in a row."""

    size: int
    wanted: int
    sizes: PageSizes
    calm: int = 0

    def after(self, page_bytes: int, *, calm: bool) -> "Pace":
        """The pace behind a page of so many bytes."""
        if self.sizes.fixed:
            return self
        if page_bytes > NEAR * CEILING or not calm:
            return replace(self, size=max(min(self.sizes.smallest, self.size), self.size // 2), calm=0)
        if self.size >= self.wanted:
            return replace(self, calm=0)
        # twice the size may be twice the bytes: only up to where that is still far from the ceiling
        roomy = page_bytes < NEAR * CEILING / 4
        if self.calm + 1 < PATIENCE or not roomy:
            return replace(self, calm=self.calm + 1)
        return replace(self, size=min(self.wanted, self.size * 2), calm=0)

    def in_trouble(self) -> "Pace | None":
        """The pace after a page that could not be had at this size; None if it cannot be smaller."""
        if self.sizes.fixed or self.size <= LEAST:
            return None
        return replace(self, size=max(LEAST, self.size // 2), calm=0)


def pace(sizes: PageSizes, wanted: int | None = None, size: int | None = None) -> Pace:
    """The pace of a slice: the endpoint's wish within what the connector can, or where the slice before it left off."""
    agreed = min(max(wanted or sizes.standard, sizes.smallest), sizes.largest)
    return Pace(min(size or agreed, agreed), agreed, sizes)
