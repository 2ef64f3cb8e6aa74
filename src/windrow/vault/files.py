"""`file:/PATH`: a file below a directory that the operator spelled out.

A symbolic link may stand on the way (mounted Kubernetes secrets are made of them) as long as it ends inside that
directory. The real path is decided first and then walked without following any link, so that a path swapped in
between is refused and not read.
"""

import asyncio
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from windrow.contracts.errors import Code, Fatal, ValidationFailure, classify
from windrow.vault.backend import missing
from windrow.vault.grants import Permitted
from windrow.vault.reference import Reference

LARGEST = 64 * 1024
# what the kernel shows as files: /proc/self/environ holds every credential of the process
_PSEUDO = ("/proc", "/sys", "/dev")
_GONE = {errno.ENOENT, errno.ENOTDIR}
# with O_PATH a directory that may be passed but not listed is no obstacle; not every system has it
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Files:
    """Reads regular files of at most 64 KiB; one line break at the end is not part of the credential."""

    scheme = "file"

    async def read(self, permitted: Permitted) -> str:
        return await asyncio.to_thread(_read, permitted)


def _read(permitted: Permitted) -> str:
    reference = permitted.reference
    try:
        real = os.path.realpath(reference.name, strict=True)
        _check_place(real, permitted)
        with _opened(real, reference) as file:
            return _text(file.read(LARGEST + 1), reference)
    except OSError as error:
        if error.errno in _GONE:
            raise missing(reference, "write the credential into that file, or name another one") from error
        if error.errno == errno.ELOOP:
            raise _refused(reference, "its symbolic links lead nowhere, or changed while it was read") from error
        raise classify(error) from error


def _check_place(real: str, permitted: Permitted) -> None:
    if any(_inside(real, pseudo) for pseudo in _PSEUDO):
        raise _refused(permitted.reference, "the kernel's own files hold no credentials")
    if not any(_inside(real, os.path.realpath(ground)) for ground in permitted.grounds):
        raise _refused(permitted.reference, "it leads out of the allowed directory")


def _inside(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder


@contextmanager
def _opened(real: str, reference: Reference) -> Iterator[BinaryIO]:
    """The file, reached from the root without following a link."""
    *folders, name = real.strip("/").split("/")
    place = os.open("/", _FOLDER)
    try:
        for folder in folders:
            below = os.open(folder, _FOLDER, dir_fd=place)
            os.close(place)
            place = below
        # asked before opening, because opening a device or a pipe can do something; asked again of what was opened
        _check_kind(os.stat(name, dir_fd=place, follow_symlinks=False), reference)
        descriptor = os.open(name, _FILE, dir_fd=place)
    finally:
        os.close(place)
    with os.fdopen(descriptor, "rb") as file:
        _check_kind(os.fstat(descriptor), reference)
        yield file


def _check_kind(status: os.stat_result, reference: Reference) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _refused(reference, "it is not a regular file")
    if status.st_size > LARGEST:
        raise _too_large(reference)
    # files of the kernel, wherever they are mounted, tell no size; an ordinary one of no size holds nothing
    if status.st_size == 0:
        raise missing(reference, "that file is empty: write the credential into it")


def _text(raw: bytes, reference: Reference) -> str:
    if len(raw) > LARGEST:
        raise _too_large(reference)
    # what is not UTF-8 is left for the Secret to refuse: the error of a failed decoding would carry what was read
    return raw.decode("utf-8-sig", errors="surrogateescape").removesuffix("\n").removesuffix("\r")


def _refused(reference: Reference, reason: str) -> Fatal:
    return Fatal(
        f"{reference} is refused: {reason}",
        code=Code.FORBIDDEN,
        hint="name a regular file inside a directory that the operator allows",
    )


def _too_large(reference: Reference) -> ValidationFailure:
    return ValidationFailure(
        f"{reference} is larger than {LARGEST // 1024} KiB", code=Code.TOO_LARGE, hint="a credential is short text"
    )
