"""A client of a Temporal server that is really there, in a namespace that really exists."""

import asyncio
import functools
import os
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest
from temporalio.client import Client, Interceptor
from temporalio.common import HeaderCodecBehavior
from temporalio.runtime import Runtime, TelemetryConfig
from temporalio.service import RPCError, RPCStatusCode, TLSConfig

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.orchestration.codec import data_converter
from windrow.orchestration.payload_keys import PayloadKeys
from windrow.vault import Secret

PATIENCE = timedelta(seconds=5)
_REFUSED = {RPCStatusCode.UNAUTHENTICATED: Code.UNAUTHORIZED, RPCStatusCode.PERMISSION_DENIED: Code.FORBIDDEN}
# the first call is the SDK's own, and of its status it keeps only the name, in a text
_REFUSED_BY_NAME = {"Unauthenticated": Code.UNAUTHORIZED, "PermissionDenied": Code.FORBIDDEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class TemporalTarget:
    """Which Temporal, how it is reached, and what histories are sealed with. Certificates are PEM.

    `server_name` is the name in the server's certificate, where that is not the host of the address. With `unsealed`, what
    was written before there were keys is read all the same.
    """

    address: str
    namespace: str = "default"
    tls: bool = False
    server_ca: bytes | None = None
    server_name: str | None = None
    client_cert: bytes | None = None
    client_key: Secret | None = None
    api_key: Secret | None = None
    payload_keys: PayloadKeys | None = None
    unsealed: bool = False

    def __post_init__(self) -> None:
        if (self.client_cert is None) != (self.client_key is None):
            raise _misconfigured(
                "a client certificate and its key belong together", "set WINDROW_TEMPORAL_CERT and WINDROW_TEMPORAL_KEY"
            )
        if not self.tls and (self.server_ca or self.client_cert):
            raise _misconfigured("certificates are set, and TLS is off", "set WINDROW_TEMPORAL_TLS, or leave them out")
        if not self.tls and self.api_key is not None:
            raise _misconfigured("an API key is not sent without TLS", "set WINDROW_TEMPORAL_TLS=true")

    @property
    def door(self) -> tuple[str, int]:
        """Host and port."""
        host, _, port = self.address.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise _misconfigured(f"{self.address!r} is not host:port", "set WINDROW_TEMPORAL_ADDRESS to host:port")
        return host.strip("[]"), int(port)

    def tls_config(self) -> TLSConfig | bool:
        """As the SDK wants it."""
        if not self.tls:
            return False
        return TLSConfig(
            server_root_ca_cert=self.server_ca,
            domain=self.server_name,
            client_cert=self.client_cert,
            client_private_key=self.client_key.reveal().encode() if self.client_key else None,
        )


async def connect(address: str, namespace: str, *, patience: timedelta = PATIENCE) -> Client:
    """Connect to a server that asks for nothing, such as the embedded one."""
    return await connect_to(TemporalTarget(address=address, namespace=namespace), patience=patience)


async def connect_to(
    target: TemporalTarget, *, patience: timedelta = PATIENCE, interceptors: Sequence[Interceptor] = ()
) -> Client:
    """Connect and look: connecting to a namespace that is missing succeeds, and only asking for it tells."""
    client = await dial(target, patience=patience, interceptors=interceptors)
    try:
        await client.workflow_service.describe_namespace(
            DescribeNamespaceRequest(namespace=target.namespace), timeout=patience, retry=False
        )
    except RPCError as error:
        raise _unanswered(target, error) from error
    return client


async def dial(
    target: TemporalTarget, *, patience: timedelta = PATIENCE, interceptors: Sequence[Interceptor] = ()
) -> Client:
    """A client of the server, whether or not it has the namespace."""
    try:
        async with asyncio.timeout(patience.total_seconds()):
            await _reach(target)
            return await _client(target, interceptors)
    except (RuntimeError, OSError) as error:
        raise _unreachable(target, error) from error


async def _client(target: TemporalTarget, interceptors: Sequence[Interceptor]) -> Client:
    sealed = target.payload_keys is not None
    return await Client.connect(
        target.address,
        namespace=target.namespace,
        tls=target.tls_config(),
        api_key=target.api_key.reveal() if target.api_key else None,
        data_converter=data_converter(target.payload_keys, unsealed=target.unsealed),
        interceptors=interceptors,
        # headers carry the cause of things, from workflow to activity
        header_codec_behavior=HeaderCodecBehavior.CODEC if sealed else HeaderCodecBehavior.NO_CODEC,
        runtime=_runtime(),
    )


@functools.cache
def _runtime() -> Runtime:
    """One for the process. By itself the SDK writes its warnings to the standard output, where a command's answer goes."""
    return Runtime(telemetry=TelemetryConfig(logging=None))


async def _reach(target: TemporalTarget) -> None:
    """A plain connection first: when it fails, the system says why in two words, and the SDK in two hundred."""
    host, port = target.door
    context = _verification(target) if target.tls else None
    name = (target.server_name or host) if target.tls else None
    try:
        _, writer = await asyncio.open_connection(host, port, ssl=context, server_hostname=name)
    except ssl.SSLCertVerificationError as error:
        raise _misconfigured(
            f"Temporal at {target.address} shows a certificate that is not accepted: {error.verify_message}",
            "name its authority in WINDROW_TEMPORAL_CA, and the server by the name in its certificate",
        ) from error
    except ssl.SSLError as error:
        if error.reason == "WRONG_VERSION_NUMBER":
            raise _misconfigured(
                f"Temporal at {target.address} speaks no TLS", "set WINDROW_TEMPORAL_TLS=false"
            ) from error
        return  # it may want the client's certificate, which is the SDK's to show
    writer.transport.abort()


def _verification(target: TemporalTarget) -> ssl.SSLContext:
    try:
        authority = target.server_ca.decode("ascii") if target.server_ca else None
        context = ssl.create_default_context(cadata=authority)
    except (ssl.SSLError, ValueError) as error:
        raise _misconfigured(
            "the authority of Temporal's certificate is not readable", "WINDROW_TEMPORAL_CA is a file in PEM"
        ) from error
    context.set_alpn_protocols(["h2"])
    return context


def _unanswered(target: TemporalTarget, error: RPCError) -> WindrowError:
    if error.status is RPCStatusCode.NOT_FOUND:
        return _misconfigured(
            f"Temporal at {target.address} has no namespace {target.namespace!r}",
            "create it, or name another in WINDROW_TEMPORAL_NAMESPACE",
        )
    if error.status in _REFUSED:
        return _refused(target, _REFUSED[error.status])
    return _unreachable(target, error)


def _refused(target: TemporalTarget, code: Code) -> Fatal:
    shown = "the API key" if target.api_key else "the client certificate" if target.client_cert else "nobody's word"
    return Fatal(
        f"Temporal at {target.address} does not let us into namespace {target.namespace!r} with {shown}",
        code=code,
        hint="check WINDROW_TEMPORAL_API_KEY_REF or WINDROW_TEMPORAL_CERT, and what they are allowed",
    )


def _unreachable(target: TemporalTarget, error: Exception) -> WindrowError:
    number = error.errno if isinstance(error, OSError) else None
    told = os.strerror(number) if number and number > 0 else str(error)
    for name, code in _REFUSED_BY_NAME.items():
        if f"code: {name}" in told:
            return _refused(target, code)
    reason = " ".join(told.split())[:200] or "no answer"
    secured = ", and that it accepts the client certificate" if target.tls else ""
    return RetryableTransient(
        f"Temporal at {target.address} cannot be reached: {reason}",
        code=Code.TEMPORAL_UNREACHABLE,
        hint=f"check that it runs{secured}: `windrow up` starts one here, WINDROW_TEMPORAL_ADDRESS names another",
    )


@classify.register
def translated(error: RPCError) -> WindrowError:
    """What a call of Temporal's means where nobody knew better."""
    said = f"Temporal says {error.status.name if error.status else 'no'}: {' '.join(error.message.split())[:200]}"
    match error.status:
        case RPCStatusCode.UNAUTHENTICATED | RPCStatusCode.PERMISSION_DENIED | RPCStatusCode.UNIMPLEMENTED:
            hint = "check WINDROW_TEMPORAL_API_KEY_REF or WINDROW_TEMPORAL_CERT, and what they are allowed"
            return Fatal(said, code=_REFUSED.get(error.status, Code.FORBIDDEN), hint=hint)
        case RPCStatusCode.NOT_FOUND:
            return ValidationFailure(
                said, code=Code.NOT_FOUND, hint="Temporal keeps it for its retention, and no longer"
            )
        case RPCStatusCode.INVALID_ARGUMENT | RPCStatusCode.OUT_OF_RANGE:
            return ValidationFailure(said, code=Code.REFUSED)
        case RPCStatusCode.RESOURCE_EXHAUSTED:
            return RateLimited(said)
        case _:
            return RetryableTransient(said, code=Code.TEMPORAL_UNREACHABLE, hint="try again when Temporal is well")


def _misconfigured(message: str, hint: str) -> Fatal:
    return Fatal(message, code=Code.CONFIGURATION, hint=hint)
