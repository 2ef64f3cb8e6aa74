"""Whether bytes arrived as they left: CRC32C, or MD5 where CRC32C would be reckoned slowly in Python."""

import base64
import hashlib
from typing import Any

import google_crc32c


class Checksum:
    """Of bytes that pass piece by piece, as Google writes it."""

    def __init__(self) -> None:
        self.name = "crc32c" if google_crc32c.implementation == "c" else "md5"
        self._sum: Any = hashlib.md5(usedforsecurity=False)
        if self.name == "crc32c":
            self._sum = google_crc32c.Checksum()  # type: ignore[no-untyped-call]

    def update(self, data: bytes) -> None:
        self._sum.update(data)

    @property
    def field(self) -> str:
        """What it is called where Google describes an object."""
        return "crc32c" if self.name == "crc32c" else "md5Hash"

    @property
    def header(self) -> str:
        """What `x-goog-hash` says of these bytes."""
        return f"{self.name}={self}"

    def agrees(self, header: str | None) -> bool:
        """Whether an `x-goog-hash` says the same, or nothing: of an object that was composed, Google knows no MD5."""
        told = [each.strip() for each in (header or "").split(",")]
        return self.header in told or not any(each.startswith(f"{self.name}=") for each in told)

    def __str__(self) -> str:
        return base64.b64encode(self._sum.digest()).decode()
