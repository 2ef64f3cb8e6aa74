"""What botocore raises, in our family. Imported by `aws` once botocore is known to be installed."""

from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError, PartialCredentialsError

from windrow.contracts.errors import (
    Code,
    Fatal,
    RateLimited,
    RetryableTransient,
    ValidationFailure,
    WindrowError,
    classify,
)

_IDENTITY = "check the AWS identity of this process; it needs secretsmanager:GetSecretValue on that secret"
_UNAUTHORIZED = {
    "ExpiredTokenException",
    "IncompleteSignature",
    "IncompleteSignatureException",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "MissingAuthenticationToken",
    "UnrecognizedClientException",
}
_FORBIDDEN = {"AccessDenied", "AccessDeniedException", "DecryptionFailure"}
# a secret that is scheduled for deletion answers InvalidRequestException
_MISSING = {"InvalidRequestException", "ResourceNotFoundException"}
_INVALID = {"InvalidParameterException", "ValidationException"}
_THROTTLED = {"RequestLimitExceeded", "Throttling", "ThrottlingException", "TooManyRequestsException"}


@classify.register
def _(error: ClientError) -> WindrowError:
    code = str(error.response.get("Error", {}).get("Code", "unknown"))
    said = f"AWS answered {code}"
    if code in _UNAUTHORIZED:
        return Fatal(said, code=Code.UNAUTHORIZED, hint=_IDENTITY)
    if code in _FORBIDDEN:
        return Fatal(said, code=Code.FORBIDDEN, hint=_IDENTITY)
    if code in _MISSING:
        return Fatal(said, code=Code.CREDENTIAL_MISSING, hint="create the secret in AWS Secrets Manager, or restore it")
    if code in _INVALID:
        return ValidationFailure(said, code=Code.REFUSED, hint="check the name of the secret")
    if code in _THROTTLED:
        return RateLimited(said)
    return RetryableTransient(said, code=Code.UNAVAILABLE)


@classify.register(NoCredentialsError)
@classify.register(PartialCredentialsError)
def _(error: BotoCoreError) -> WindrowError:
    return Fatal(
        f"AWS: {error}", code=Code.UNAUTHORIZED, hint="give this process an AWS identity (role, profile or keys)"
    )


@classify.register
def _(error: NoRegionError) -> WindrowError:
    return Fatal(f"AWS: {error}", code=Code.CONFIGURATION, hint="set AWS_REGION for this process")


@classify.register
def _(error: BotoCoreError) -> WindrowError:
    return RetryableTransient(f"AWS cannot be reached: {type(error).__name__}", code=Code.NETWORK)
