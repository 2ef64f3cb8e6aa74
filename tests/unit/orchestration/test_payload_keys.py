"""The keys in a credential: the first seals, all of them open."""

import pytest

from windrow.contracts.errors import Code, Fatal
from windrow.orchestration.payload_keys import PayloadKeys, new_key
from windrow.telemetry import redact
from windrow.vault import Secret

# not drawn: parallel test processes must collect the same cases
NEW = new_key("2026-11", lambda size: bytes(range(size)))
OLD = new_key("2026-05", lambda size: bytes(range(100, 100 + size)))


@pytest.mark.parametrize("between", [" ", ",", "\n", " ,\n"])
def test_the_first_key_is_the_current_one_and_all_can_be_found(between: str) -> None:
    keys = PayloadKeys.parse(Secret(f"{NEW}{between}{OLD}"))

    assert keys.current.key_id == "2026-11"
    assert keys.ids == ("2026-11", "2026-05")
    assert keys.find("2026-05") is keys.keys[1]
    assert keys.find("2020-01") is None


def test_a_key_in_url_safe_base64_is_the_same_key() -> None:
    word = new_key("a", lambda _: bytes([0xFB, 0xEF] * 16))

    (key,) = PayloadKeys.parse(Secret(word.replace("+", "-").replace("/", "_"))).keys

    assert key.secret() == bytes([0xFB, 0xEF] * 16)


@pytest.mark.parametrize(
    "text",
    [
        " ",
        NEW.partition(":")[2],
        f"spaced id:{NEW.partition(':')[2]}",
        f":{NEW.partition(':')[2]}",
        "2026-11:",
        "2026-11:c2hvcnQ=",
        "2026-11:???",
        "2026-11:schlüssel",
        f"{NEW} {NEW}",
        f"{NEW} {OLD.replace('2026-05', '2026-11')}",
    ],
)
def test_what_holds_no_key_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(Fatal) as caught:
        PayloadKeys.parse(Secret(text))

    assert caught.value.code is Code.CONFIGURATION
    assert NEW.partition(":")[2] not in f"{caught.value} {caught.value.hint}"


def test_a_key_shows_itself_nowhere() -> None:
    keys = PayloadKeys.parse(Secret(NEW))
    encoded = NEW.partition(":")[2]

    assert encoded not in repr(keys)
    assert encoded not in redact(f"it was {encoded} all the time")
