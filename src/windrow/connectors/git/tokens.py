"""The output of git's plumbing, cut at its NUL characters as it arrives."""


class Tokens:
    """Cuts chunks into tokens; of a token that is longer than `longest`, the beginning."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = b""

    def cut(self, chunk: bytes) -> list[bytes]:
        """The tokens that end in this chunk."""
        *whole, rest = chunk.split(b"\0")
        if whole:
            whole[0] = self._rest + whole[0]
            self._rest = b""
        # beyond the bound nothing is kept, however much arrives
        self._rest = (self._rest + rest)[: self._longest]
        return [token[: self._longest] for token in whole]

    def end(self) -> list[bytes]:
        """What came behind the last NUL, if anything."""
        rest, self._rest = self._rest, b""
        return [rest] if rest else []
