"""What a connector asks of an endpoint beside its configuration: a credential or none, and a page size that it can give."""

from collections.abc import Iterator

from windrow.connectors.spec import ConnectorSpec, Credential
from windrow.contracts.errors import Code, ValidationFailure


def unmet(
    spec: ConnectorSpec, *, credential_ref: str | None, page_size: int | None = None
) -> Iterator[tuple[str, ValidationFailure]]:
    """What the endpoint lacks or asks for in vain: the field, and what to tell its author."""
    if spec.credential is Credential.REQUIRED and credential_ref is None:
        hint = f"name one as credential_ref: env:NAME. {spec.credential_help}".rstrip()
        yield "credential_ref", ValidationFailure(f"{spec.name} needs a credential", hint=hint)
    if spec.credential is Credential.NONE and credential_ref is not None:
        yield "credential_ref", ValidationFailure(f"{spec.name} takes no credential", hint="leave credential_ref out")
    sizes = spec.page_sizes
    if page_size is not None and not sizes.smallest <= page_size <= sizes.largest:
        refusal = ValidationFailure(
            f"{spec.name} gives no pages of {page_size}",
            code=Code.INVALID_VALUE,
            hint=f"choose {sizes.smallest} to {sizes.largest}, or none: it then takes {sizes.standard}",
        )
        yield "page_size", refusal


def must_suit(spec: ConnectorSpec, *, credential_ref: str | None, page_size: int | None = None) -> None:
    """Refuse an endpoint for which its connector cannot work."""
    for _, refusal in unmet(spec, credential_ref=credential_ref, page_size=page_size):
        raise refusal
