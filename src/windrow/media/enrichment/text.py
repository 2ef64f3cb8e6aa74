"""Other people's text, made fit for a row, a message and a line. Pure."""


def text(given: str, longest: int) -> str:
    """Without NUL, which Postgres does not hold, and without halves of characters, which JSON does not."""
    whole = given[:longest].encode("utf-8", "replace").decode("utf-8")
    return whole.replace("\0", "")


def line(given: str, longest: int) -> str:
    """On one line, without control characters."""
    words = "".join(char if char.isprintable() else " " for char in text(given, longest)).split()
    return " ".join(words)
