"""`file:` references against a real file system, with everything a hostile path can be."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.vault import Grants, Vault
from windrow.vault.files import LARGEST, Files

CANARY = "file-canary-3b90"


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """The directory that the operator allows to acme, with one credential in it."""
    folder = tmp_path / "secrets" / "acme"
    folder.mkdir(parents=True)
    (folder / "token").write_text(f"{CANARY}\n")
    return folder


@pytest.fixture
def vault(secrets: Path) -> Vault:
    return Vault([Files()], Grants.parse([f"file:{secrets.parent}/{{tenant}}/*"]))


@pytest.mark.req("HV-3")
async def test_a_file_holds_a_credential(vault: Vault, secrets: Path) -> None:
    assert (await vault.resolve(f"file:{secrets}/token", "acme")).reveal() == CANARY


async def test_a_field_of_a_json_file_is_a_credential(vault: Vault, secrets: Path) -> None:
    (secrets / "service.json").write_text('\ufeff{"user": "windrow", "password": "two\\nlines"}\n', encoding="utf-8")

    assert (await vault.resolve(f"file:{secrets}/service.json#password", "acme")).reveal() == "two\nlines"


@pytest.mark.parametrize(("written", "read"), [("a b ", "a b "), ("x\n\n", "x\n"), ("x\r\n", "x"), ("ключ", "ключ")])
async def test_only_one_line_break_at_the_end_is_left_out(vault: Vault, secrets: Path, written: str, read: str) -> None:
    (secrets / "token").write_bytes(written.encode())

    assert (await vault.resolve(f"file:{secrets}/token", "acme")).reveal() == read


async def test_links_inside_the_directory_are_followed_as_mounted_secrets_need(vault: Vault, secrets: Path) -> None:
    (secrets / "..2026_01").mkdir()
    (secrets / "..2026_01" / "mounted").write_text("mounted-value")
    (secrets / "..data").symlink_to("..2026_01")
    (secrets / "mounted").symlink_to("..data/mounted")

    assert (await vault.resolve(f"file:{secrets}/mounted", "acme")).reveal() == "mounted-value"


async def test_a_replaced_file_is_read_by_a_refresh(vault: Vault, secrets: Path) -> None:
    await vault.resolve(f"file:{secrets}/token", "acme")
    (secrets / "token").write_text("rotated")

    assert (await vault.refresh(f"file:{secrets}/token", "acme")).reveal() == "rotated"


def link_out(secrets: Path, outside: Path) -> None:
    (secrets / "odd").symlink_to(outside)


def link_up(secrets: Path, outside: Path) -> None:
    (secrets / "odd").symlink_to(f"../../{outside.name}")


def link_to_another_tenant(secrets: Path, outside: Path) -> None:
    other = secrets.parent / "other"
    other.mkdir()
    (other / "token").write_text("not yours")
    (secrets / "odd").symlink_to(other / "token")


def link_to_environment(secrets: Path, outside: Path) -> None:
    (secrets / "odd").symlink_to("/proc/self/environ")


def pipe(secrets: Path, outside: Path) -> None:
    os.mkfifo(secrets / "odd")


def folder(secrets: Path, outside: Path) -> None:
    (secrets / "odd").mkdir()


def device(secrets: Path, outside: Path) -> None:
    (secrets / "odd").symlink_to("/dev/zero")


def loop(secrets: Path, outside: Path) -> None:
    (secrets / "odd").symlink_to("odd")


@pytest.mark.req("HV-3")
@pytest.mark.parametrize(
    "odd",
    [link_out, link_up, link_to_another_tenant, link_to_environment, pipe, folder, device, loop],
    ids=lambda make: make.__name__,
)
async def test_what_is_no_file_of_that_directory_is_refused(
    vault: Vault, secrets: Path, tmp_path: Path, odd: Callable[[Path, Path], None]
) -> None:
    outside = tmp_path / "outside"
    outside.write_text("outside-canary")
    odd(secrets, outside)

    with pytest.raises(Fatal) as raised:
        await vault.resolve(f"file:{secrets}/odd", "acme")

    assert raised.value.code is Code.FORBIDDEN
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/cmdline", "/dev/zero", "/sys/kernel/mm/x"])
async def test_the_kernels_files_are_refused_even_where_the_operator_allows_everything(path: str) -> None:
    vault = Vault([Files()], Grants.parse(["file:/*/*", "file:/*/*/*", "file:/*/*/*/*"]))

    with pytest.raises(Fatal) as raised:
        await vault.resolve(f"file:{path}", "acme")

    assert raised.value.code in {Code.FORBIDDEN, Code.CREDENTIAL_MISSING}


@pytest.mark.parametrize("name", ["absent", "token/below"])
async def test_a_file_that_is_not_there_is_a_missing_credential(secrets: Path, name: str) -> None:
    vault = Vault([Files()], Grants.parse([f"file:{secrets}/*", f"file:{secrets}/*/*"]))

    with pytest.raises(Fatal) as raised:
        await vault.resolve(f"file:{secrets}/{name}", "acme")

    assert raised.value.code is Code.CREDENTIAL_MISSING


async def test_an_empty_file_is_a_missing_credential(vault: Vault, secrets: Path) -> None:
    (secrets / "token").write_bytes(b"")

    with pytest.raises(Fatal) as raised:
        await vault.resolve(f"file:{secrets}/token", "acme")

    assert raised.value.code is Code.CREDENTIAL_MISSING


@pytest.mark.parametrize(
    ("content", "code"), [(b"x" * (LARGEST + 1), Code.TOO_LARGE), (b"\xff\xfe\x00bytes", Code.INVALID_VALUE)]
)
async def test_a_file_that_is_no_credential_is_refused_without_its_content(
    vault: Vault, secrets: Path, content: bytes, code: Code
) -> None:
    (secrets / "token").write_bytes(content)

    with pytest.raises(ValidationFailure) as raised:
        await vault.resolve(f"file:{secrets}/token", "acme")

    assert raised.value.code is code
    assert raised.value.__context__ is None


async def test_a_path_that_is_swapped_all_the_time_never_gives_what_lies_outside(secrets: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "token").write_text("outside-canary")
    inner, spare, parked = secrets / "inner", secrets / "spare", secrets / "parked"
    inner.mkdir()
    (inner / "token").write_text("inside")
    spare.symlink_to(tmp_path / "outside")
    vault = Vault([Files()], Grants.parse([f"file:{secrets}/*/token"]))
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            inner.rename(parked)
            spare.rename(inner)
            inner.rename(spare)
            parked.rename(inner)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        values = {await _value(vault, f"file:{inner}/token") for _ in range(300)}
    finally:
        over.set()
        swapping.join()

    assert values <= {"inside", "refused or missing"}


async def _value(vault: Vault, reference: str) -> str:
    try:
        return (await vault.refresh(reference, "acme")).reveal()
    except WindrowError:
        return "refused or missing"
