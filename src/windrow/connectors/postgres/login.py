"""From an address to a connection.

libpq looks for much by itself: a password file, certificates in the home directory, Kerberos tickets, a dozen variables.
All of it belongs to whoever runs this process, and none of it may prove anything to a server that a tenant names. So all
of it is spelled out here, and what is not wanted is turned off.

libpq also keeps to itself why a server refused a login: there is a message in the server's language and no SQLSTATE. A
login that fails is tried once more (it may be a hiccup) with libpq's own trace of the conversation turned on, into
memory, and the state is read from there. Only then: each trace costs a few kilobytes that libpq never gives back.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection, pq
from psycopg.conninfo import make_conninfo

from windrow.connectors.postgres.config import PostgresConfig, Tls
from windrow.connectors.postgres.failures import failure, too_slow
from windrow.connectors.postgres.text import forgiving
from windrow.contracts.errors import Code, Fatal, ValidationFailure, WindrowError
from windrow.http.addresses import Address
from windrow.vault import Secret

APPLICATION = "windrow"

_SSL = {Tls.VERIFY: "verify-full", Tls.ENCRYPT: "require", Tls.NONE: "disable"}
# a password is sent as it is only to a server that has proved its name
_METHODS = {Tls.VERIFY: "password,md5,scram-sha-256,none"}
_HASHED = "md5,scram-sha-256,none"
_AUTHORITIES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
_STATE = re.compile(rb'^B\t\d+\tErrorResponse\t.{0,100}? C "(?P<state>[0-9A-Z]{5})"', re.MULTILINE)
_LONGEST_TRACE = 1024 * 1024


def conninfo(
    config: PostgresConfig, address: Address, database: str, password: Secret | None, authorities: Path | None
) -> str:
    """Everything that libpq would otherwise look for. It holds the password: it is passed on and never shown."""
    secret = password.reveal() if password else ""
    if "\0" in secret:
        # libpq would read no further, and so not come to what follows here
        raise ValidationFailure("the password holds a NUL character", code=Code.INVALID_VALUE, hint="store it without")
    return make_conninfo(
        "",
        host=config.host,
        hostaddr=str(address),
        port=config.port,
        dbname=database,
        user=config.user,
        password=secret,
        passfile=os.devnull,
        sslmode=_SSL[config.tls],
        sslrootcert=str(authorities) if authorities else _authorities(config.tls),
        sslcertmode="disable",
        gssencmode="disable",
        require_auth=_METHODS.get(config.tls, _HASHED),
        target_session_attrs="any",
        options="",
        application_name=APPLICATION,
        client_encoding="UTF8",
    )


async def log_in(info: str, config: PostgresConfig, seconds: float) -> AsyncConnection[Any]:
    """A connection in which every statement is a transaction of its own until one is begun."""
    try:
        pgconn = await _handshake(info, seconds)
    except _Failed:
        pgconn = await _heard_out(info, config, seconds)
    connection = AsyncConnection[Any](pgconn)
    try:
        await connection.set_autocommit(True)
        # poolers in between know nothing of statements that another client has prepared
        connection.prepare_threshold = None
        forgiving(connection)
    except BaseException:
        await connection.close()
        raise
    return connection


class _Failed(Exception):
    """The handshake ended without a connection."""

    def __init__(self, said: str, *, asked_for_password: bool, sent_password: bool) -> None:
        super().__init__(said)
        self.asked_for_password, self.sent_password = asked_for_password, sent_password


async def _heard_out(info: str, config: PostgresConfig, seconds: float) -> pq.abc.PGconn:
    with _trace() as trace:
        try:
            return await _handshake(info, seconds, trace)
        except _Failed as failed:
            raise _told(failed, _state(trace), config) from None


def _told(failed: _Failed, state: str | None, config: PostgresConfig) -> WindrowError:
    if failed.asked_for_password:
        return Fatal(
            f"the server asks {config.user!r} for a password, and there is none",
            code=Code.CREDENTIAL_MISSING,
            hint="name the password as credential_ref",
        )
    if state is None and failed.sent_password:
        # where there is no trace: of all that may follow a password, its refusal is the likely one
        state = "28P01"
    error = failure(str(failed), state)
    if state is None and config.tls is not Tls.NONE:
        error.hint = (
            "check `host` and `port`; a server with an authority of its own needs `ca`, one without TLS `tls=none`"
        )
    return error


async def _handshake(info: str, seconds: float, trace: int | None = None) -> pq.abc.PGconn:
    pgconn = pq.PGconn.connect_start(info.encode())
    try:
        if trace is not None:
            pgconn.trace(trace)
            pgconn.set_trace_flags(pq.Trace.SUPPRESS_TIMESTAMPS)
        async with asyncio.timeout(seconds):
            await _polled(pgconn)
        pgconn.nonblocking = 1
    except BaseException as error:
        _end(pgconn, trace)
        if isinstance(error, TimeoutError):
            raise too_slow(seconds) from None
        raise
    if trace is not None:
        pgconn.untrace()
    return pgconn


def _end(pgconn: pq.abc.PGconn, trace: int | None) -> None:
    if trace is not None:
        # writes out what it holds back
        pgconn.untrace()
    pgconn.finish()


async def _polled(pgconn: pq.abc.PGconn) -> None:
    while True:
        # asked again after each wait: a conversation that is given up has no socket
        match pgconn.connect_poll() if pgconn.status != pq.ConnStatus.BAD else pq.PollingStatus.FAILED:
            case pq.PollingStatus.OK:
                return
            case pq.PollingStatus.READING:
                await _ready(pgconn.socket, writing=False)
            case pq.PollingStatus.WRITING:
                await _ready(pgconn.socket, writing=True)
            case _:
                raise _Failed(
                    pgconn.get_error_message(),
                    asked_for_password=pgconn.needs_password,
                    sent_password=pgconn.used_password,
                )


async def _ready(descriptor: int, *, writing: bool) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    if writing:
        loop.add_writer(descriptor, ready.set)
    else:
        loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_writer(descriptor) if writing else loop.remove_reader(descriptor)


@contextmanager
def _trace() -> Iterator[int | None]:
    """Somewhere to write the conversation: memory, since a password may be part of it; None where there is no such thing."""
    if not hasattr(os, "memfd_create"):
        yield None
        return
    descriptor = os.memfd_create("windrow-login")
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _state(trace: int | None) -> str | None:
    if trace is None:
        return None
    found = _STATE.search(os.pread(trace, _LONGEST_TRACE, 0))
    return found["state"].decode("ascii") if found else None


def _authorities(tls: Tls) -> str:
    # with any file that is there, libpq would verify even where it should only encrypt
    return next(filter(os.path.isfile, _AUTHORITIES), "system") if tls is Tls.VERIFY else f"{os.devnull}/none"
