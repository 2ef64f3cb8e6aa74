"""Ports on the loopback address: the one asked for, the one used last time, or a free one."""

import random
import socket
from collections.abc import Callable, Mapping
from typing import NoReturn

from windrow.contracts.errors import Code, Fatal, ValidationFailure

LOOPBACK = "127.0.0.1"
# below the range from which systems take the near end of outgoing connections: a remembered port stays free
RANGE = range(20_000, 32_000)
TRIES = 200


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as probe:
        # as the engines do: connections of an earlier run that have not faded yet are no obstacle
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except (OSError, OverflowError):
            return False
    return True


def choose(
    wanted: Mapping[str, int | None], remembered: Mapping[str, int], free: Callable[[int], bool] = is_free
) -> dict[str, int]:
    """A port for every name. One that was asked for and is taken is an error; one that was remembered is not."""
    chosen: dict[str, int] = {}
    for name, port in wanted.items():
        if port is not None:
            _check(name, port, port not in chosen.values() and free(port))
            chosen[name] = port
    for name in wanted.keys() - chosen.keys():
        candidates = (remembered.get(name, 0), *(random.choice(RANGE) for _ in range(TRIES)))  # noqa: S311
        usable = (port for port in candidates if port and port not in chosen.values() and free(port))
        chosen[name] = next(usable, 0) or _none_left()
    return chosen


def _check(name: str, port: int, usable: bool) -> None:
    if not 0 < port < 65_536:
        raise ValidationFailure(f"{port} is not a port ({name})", code=Code.INVALID, hint="use 1 to 65535")
    if not usable:
        raise Fatal(
            f"port {port} for {name} is taken",
            code=Code.PORT_TAKEN,
            hint="stop what is using it, choose another, or leave it out: a free one is then found and remembered",
        )


def _none_left() -> NoReturn:
    raise Fatal("no free port was found on the loopback address", code=Code.PORT_TAKEN, hint="name the ports to use")
