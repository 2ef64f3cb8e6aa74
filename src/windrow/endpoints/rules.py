"""What an endpoint may be: checked before it is stored, whoever brings it."""

from dataclasses import replace
from typing import Any

from windrow.contracts.errors import Code, ValidationFailure
from windrow.contracts.scope import checked_name
from windrow.contracts.storable import Storable
from windrow.endpoints.endpoint import Endpoint
from windrow.endpoints.schedule import Schedule
from windrow.endpoints.secrecy import secret_field, secret_value
from windrow.vault.reference import HINT as REFERENCE
from windrow.vault.reference import Reference

SMALLEST_PAGE, LARGEST_PAGE = 50, 500

# those of the design; a word that nobody resolves is more likely the first half of `user:password`
SCHEMES = ("env", "file", "vault", "aws-sm", "gcp-sm")

_CONFIG = Storable("configuration", 64 * 1024, "an endpoint is a few settings; what is long belongs into the source")
_USE_REFERENCE = (
    "keep the secret where secrets are kept, and name it with --credential-ref env:NAME (docs/how-to/credentials.md)"
)


def check(endpoint: Endpoint) -> Endpoint:
    """The endpoint as it is to be stored, or what is wrong with it."""
    checked_name("endpoint", endpoint.endpoint_id)
    checked_name("connector", endpoint.connector)
    _check_config(endpoint.config)
    _check_credential(endpoint.credential_ref)
    _check_page_size(endpoint.page_size)
    return replace(endpoint, schedule=Schedule.parse(endpoint.schedule).text if endpoint.schedule is not None else None)


def _check_config(config: dict[str, Any]) -> None:
    if not isinstance(config, dict):
        raise _CONFIG.refusal("no settings", "it is an object: names and values")
    _CONFIG.text(config)  # bounds first: whatever is walked from here on is small, finite and JSON
    refuse_secrets(config)


def refuse_secrets(config: dict[str, Any]) -> None:
    """Nothing that is stored or shown holds a secret; neither does this error."""
    if name := secret_field(config):
        raise ValidationFailure(
            f"the configuration's {name!r} would be a secret in clear", code=Code.INVALID_VALUE, hint=_USE_REFERENCE
        )


def _check_credential(credential_ref: str | None) -> None:
    """An error never repeats it: people paste the secret itself."""
    if credential_ref is None:
        return
    reference = Reference.parse(credential_ref)
    if reference.scheme not in SCHEMES:
        raise ValidationFailure(
            f"this credential_ref has an unknown scheme (it is not repeated here); known are {', '.join(SCHEMES)}",
            hint=REFERENCE,
        )
    if secret_value(reference.name) or (reference.field and secret_value(reference.field)):
        raise ValidationFailure(
            "this credential_ref looks like the secret itself (it is not repeated here)", hint=_USE_REFERENCE
        )


def _check_page_size(page_size: int | None) -> None:
    if page_size is None:
        return
    if type(page_size) is not int or not SMALLEST_PAGE <= page_size <= LARGEST_PAGE:
        raise ValidationFailure(
            f"a page size of {page_size!r:.40} is refused",
            code=Code.INVALID_VALUE,
            hint=f"choose {SMALLEST_PAGE} to {LARGEST_PAGE}, or none: the connector then chooses",
        )
