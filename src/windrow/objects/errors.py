"""What goes wrong with objects, in our family; and what obstore raises, translated once."""

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    InvalidPathError,
    NotSupportedError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
    UnknownConfigurationKeyError,
)

from windrow.contracts.errors import (
    FAMILY,
    Code,
    Conflict,
    Fatal,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)

_IDENTITY = "check the credentials of the object store, and what they may do with that bucket"


def not_found(key: str) -> ValidationFailure:
    return ValidationFailure(f"there is no object {key!r}", code=Code.NOT_FOUND, hint="check the key")


def exists(key: str) -> Conflict:
    return Conflict(f"there is an object {key!r} already", code=Code.ALREADY_EXISTS, hint="look at it before you go on")


def changed(key: str) -> Conflict:
    return Conflict(
        f"the object {key!r} is not the one that was read", code=Code.CAS_MISMATCH, hint="read it again, then retry"
    )


def no_bucket() -> Fatal:
    return Fatal(
        "the object store has no such bucket",
        code=Code.CONFIGURATION,
        hint="create the bucket, or name another one in WINDROW_OBJECT_STORE",
    )


def storage_error(error: Exception, doing: str) -> WindrowError:
    """Our error for what a driver let through, with what was being done."""
    found = classify(error)
    # an OSError without a meaning of its own comes from a disk here, not from a network
    code = Code.STORAGE_UNAVAILABLE if found.code in (Code.NETWORK, Code.UNKNOWN) else found.code
    kind = next(kind for kind in FAMILY if isinstance(found, kind))
    return kind(f"{doing}: {found.message}", code=code, hint=found.hint)


def _first_line(error: BaseError) -> str:
    """obstore appends a dump of its own values to every message."""
    return str(error).partition("\n")[0][:300]


@classify.register
def _(error: BaseError) -> WindrowError:
    return RetryableTransient(
        _first_line(error),
        code=Code.STORAGE_UNAVAILABLE,
        hint="check that the object store can be reached and the bucket exists",
    )


@classify.register
def _(error: UnauthenticatedError) -> WindrowError:
    return Fatal(_first_line(error), code=Code.UNAUTHORIZED, hint=_IDENTITY)


@classify.register
def _(error: PermissionDeniedError) -> WindrowError:
    return Fatal(_first_line(error), code=Code.FORBIDDEN, hint=_IDENTITY)


@classify.register
def _(error: AlreadyExistsError) -> WindrowError:
    return Conflict(_first_line(error), code=Code.ALREADY_EXISTS)


@classify.register
def _(error: PreconditionError) -> WindrowError:
    return Conflict(_first_line(error), code=Code.CAS_MISMATCH)


@classify.register
def _(error: InvalidPathError) -> WindrowError:
    return ValidationFailure(_first_line(error), code=Code.INVALID_KEY)


@classify.register(NotSupportedError)
@classify.register(UnknownConfigurationKeyError)
def _(error: BaseError) -> WindrowError:
    return Fatal(_first_line(error), code=Code.CONFIGURATION, hint="check the settings of the object store")
