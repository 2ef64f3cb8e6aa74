"""What was made, what was seen in it and what is read back: all three have to agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.clips import attest
from windrow.clips.attest import Attested, Content, Packets
from windrow.contracts.errors import Code, Fatal

HEAD = "#extradata 0,                              45, 2105602d432d7b6ca188d5ad8c4b9eb8"
FIRST = "0,      -1024,          0,      512,    43272, cad75cfe598cd59e8d3efb7d10b08e86"
SECOND = "0,       -512,       1024,      512,    21458, d638cfdff79e323e069ce75ce3dd514c"
SOUND = "1,          0,          0,     1024,     2048, d638cfdff79e323e069ce75ce3dd514c"


def content(*lines: str) -> Content:
    packets = Packets()
    for line in lines:
        packets.take(line)
    return packets.total()


MADE = content(HEAD, FIRST, SECOND, SOUND)


def test_what_stands_beside_a_packet_or_between_two_of_them_makes_no_difference() -> None:
    assert content(HEAD, "#tb 0: 1/12800", f"{FIRST}, S=1,        8, {32 * 'e'}", SOUND, SECOND) == MADE


@pytest.mark.parametrize(
    "lines",
    [
        (HEAD, FIRST, SOUND),
        (HEAD, FIRST, SECOND),
        (HEAD, SECOND, FIRST, SOUND),
        (FIRST, SECOND, SOUND),
        (HEAD.replace("eb8", "eb9"), FIRST, SECOND, SOUND),
        (HEAD, FIRST, SECOND.replace("514c", "514d"), SOUND),
        (HEAD, FIRST, SECOND, SOUND.replace("514c", "514d")),
        (HEAD, FIRST.replace("43272", "43273"), SECOND, SOUND),
    ],
    ids=["lost", "silent", "order", "no head", "head", "content", "sound", "size"],
)
def test_whatever_is_read_otherwise_than_it_was_made_is_damage(lines: tuple[str, ...]) -> None:
    with pytest.raises(Fatal) as refused:
        attest.check(2, Attested(MADE, seen=2), content(*lines))

    assert refused.value.code is Code.CORRUPTED


@pytest.mark.parametrize(("frames", "seen"), [(2, 1), (3, 2), (1, 2)])
def test_a_packet_that_is_no_frame_to_a_decoder_is_damage(frames: int, seen: int) -> None:
    with pytest.raises(Fatal, match="can be decoded"):
        attest.check(frames, Attested(MADE, seen), MADE)


def test_a_clip_that_is_what_was_made_and_seen_passes() -> None:
    attest.check(2, Attested(MADE, seen=2), MADE)


@given(st.text())
def test_no_line_upsets_the_sum(line: str) -> None:
    assert content(line).packets <= 1
