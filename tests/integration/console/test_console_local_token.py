"""The token of a machine: made once, for its owner alone, and shown nowhere."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from tests.conftest import Said

from windrow.app.doorplate import address, doorplate, last_port
from windrow.app.serving import signing_key
from windrow.contracts.errors import Code, Fatal, WindrowError
from windrow.contracts.scope import Scope
from windrow.vault import Secret
from windrow.web.kept_secret import kept_secret
from windrow.web.local_token import LocalToken
from windrow.web.principal import Principal, Role

WHO = Principal(Scope("local", "default"), (Role.ADMIN,), "local", "token of this machine")


def test_it_is_made_once_and_only_its_owner_reads_it(tmp_path: Path, said: Said) -> None:
    first = kept_secret(tmp_path / "new" / "home" / "token")

    assert kept_secret(tmp_path / "new" / "home" / "token") == first
    assert stat.S_IMODE((tmp_path / "new" / "home" / "token").stat().st_mode) == 0o600
    assert len(first.reveal()) >= 43
    assert [path.name for path in (tmp_path / "new" / "home").iterdir()] == ["token"]
    assert first.reveal() not in "".join(said.raw)


async def test_processes_that_make_it_at_once_get_the_same(tmp_path: Path) -> None:
    made = await asyncio.gather(*(asyncio.to_thread(kept_secret, tmp_path / "token") for _ in range(8)))

    assert len({secret.reveal() for secret in made}) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_one_that_others_can_read_is_not_used(tmp_path: Path, mode: int) -> None:
    kept_secret(tmp_path / "token")
    (tmp_path / "token").chmod(mode)

    with pytest.raises(Fatal, match="can be read by others") as refused:
        kept_secret(tmp_path / "token")

    assert "chmod 600" in (refused.value.hint or "")


def test_a_link_or_a_pipe_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("x" * 50)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pipe", 0o600)

    for name in ("link", "pipe"):
        with pytest.raises(WindrowError):
            kept_secret(tmp_path / name)


def test_a_file_that_holds_no_token_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "token").touch(mode=0o600)

    with pytest.raises(Fatal) as refused:
        kept_secret(tmp_path / "token")

    assert refused.value.code is Code.CORRUPTED


@pytest.mark.parametrize("wrong", ["", "right", "right-tokenx", "Right-token", "ä", "\ud800"])
async def test_only_the_whole_token_lets_in(wrong: str) -> None:
    door = LocalToken(Secret("right-token"), WHO)

    assert await door.principal_of("right-token") is WHO
    assert await door.principal_of(wrong) is None


def test_another_signing_key_has_another_id(tmp_path: Path) -> None:
    one, other = signing_key(tmp_path / "a"), signing_key(tmp_path / "b")

    assert one.id != other.id
    assert signing_key(tmp_path / "a") == one


async def test_an_address_is_told_only_while_its_server_lives(tmp_path: Path) -> None:
    assert address(tmp_path) is None
    async with doorplate(tmp_path, "http://127.0.0.1:4711"):
        assert address(tmp_path) == "http://127.0.0.1:4711"
        async with doorplate(tmp_path, "http://127.0.0.1:1"):
            assert address(tmp_path) == "http://127.0.0.1:4711"

    assert address(tmp_path) is None
    assert last_port(tmp_path) == {"http": 4711}


@pytest.mark.parametrize("text", ["", "{", '{"url": 5}', '{"url": "http://127.0.0.1:99999"}', "[]"])
def test_an_address_that_cannot_be_read_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "http.json").write_text(text)

    assert last_port(tmp_path) == {}
