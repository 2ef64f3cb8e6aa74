"""What hvac raises, in our family. Imported by `hashicorp_door` once hvac is known to be installed.

Vault's own words are left out: the type says enough, and they may quote what was asked for.
"""

from hvac import exceptions

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)
from windrow.vault import wire_errors  # noqa: F401 - registers what `requests` raises

_IDENTITY = (
    "check the token or role of this process: its policy needs `read` on that path, and its time must not be over"
)


@classify.register
def _(error: exceptions.VaultError) -> WindrowError:
    return RetryableTransient(f"Vault could not answer ({type(error).__name__})", code=Code.UNAVAILABLE)


@classify.register
def _(error: exceptions.VaultDown) -> WindrowError:  # noqa: ARG001 - its type says it all
    return RetryableTransient("Vault is sealed or not available (503)", code=Code.UNAVAILABLE, hint="unseal it")


@classify.register
def _(error: exceptions.RateLimitExceeded) -> WindrowError:  # noqa: ARG001
    return RateLimited("Vault asks us to slow down (429)")


@classify.register
def _(error: exceptions.Forbidden) -> WindrowError:  # noqa: ARG001
    return Fatal("Vault answered 403", code=Code.FORBIDDEN, hint=_IDENTITY)


@classify.register
def _(error: exceptions.Unauthorized) -> WindrowError:  # noqa: ARG001
    return Fatal("Vault answered 401", code=Code.UNAUTHORIZED, hint=_IDENTITY)


@classify.register(exceptions.InvalidRequest)
@classify.register(exceptions.InvalidPath)
@classify.register(exceptions.UnsupportedOperation)
@classify.register(exceptions.ParamValidationError)
def _(error: exceptions.VaultError) -> WindrowError:
    return ValidationFailure(
        f"Vault refuses the request ({type(error).__name__})", code=Code.REFUSED, hint="check the path of the secret"
    )
