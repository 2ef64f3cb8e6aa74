"""Output is cut at its NUL characters, however it arrives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.connectors.git.tokens import Tokens


def cut(chunks: list[bytes], longest: int = 1000) -> list[bytes]:
    tokens = Tokens(longest)
    return [token for chunk in chunks for token in tokens.cut(chunk)] + tokens.end()


@given(st.lists(st.binary(max_size=8).map(lambda raw: raw.replace(b"\0", b"")), max_size=8), st.data())
@settings(max_examples=100)
def test_it_does_not_matter_where_the_chunks_end(words: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(word + b"\0" for word in words)
    ends = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    chunks = [whole[begin:end] for begin, end in zip([0, *ends], [*ends, len(whole)], strict=True)]

    assert cut(chunks) == words


def test_of_a_token_that_is_too_long_the_beginning_is_kept() -> None:
    assert cut([b"abc", b"defgh", b"ij\0kl\0", b"rest"], longest=4) == [b"abcd", b"kl", b"rest"]
