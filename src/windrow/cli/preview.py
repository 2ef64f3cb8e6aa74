"""`windrow preview`: a sample of a source, without writing."""

import os
from typing import Annotated, Any

import typer
from rich.console import Console

from windrow import endpoints
from windrow.app.compose import acting_for
from windrow.app.previewing import previewed
from windrow.cli import show
from windrow.cli.definition import described_in, is_file
from windrow.cli.frame import Json, Project, Tenant, command, scope
from windrow.connectors.demands import must_suit
from windrow.connectors.standalone import STANDALONE
from windrow.contracts.errors import ValidationFailure
from windrow.endpoints import Endpoint
from windrow.harvest.preview import MOST_ROWS, MOST_SECONDS, Bounds, Ended, Preview
from windrow.settings import read

COLUMNS = ("entity_type", "external_id", "display_name", "canonical_path", "deleted")


@command
async def preview(
    name: Annotated[str, typer.Argument(help="The endpoint; or a file that describes a REST API, NAME.yaml.")],
    pairs: Annotated[
        list[str] | None, typer.Argument(metavar="[FIELD=VALUE]…", help="With a file: what else an endpoint would say.")
    ] = None,
    credential_ref: Annotated[
        str | None, typer.Option(metavar="REF", help="With a file: where the credential is kept, such as `env:NAME`.")
    ] = None,
    rows: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="How many records at the most.")] = Bounds().rows,
    seconds: Annotated[
        float, typer.Option(min=0.1, max=MOST_SECONDS, help="How long it may take at the most.")
    ] = Bounds().seconds,
    tenant: Tenant = None,
    project: Project = None,
    json: Json = False,
) -> None:
    """Show what a harvest would make of a source's first records. Nothing is written; secrets are blanked out.

    A connector that offers no preview says so, and the command ends with 0.
    """
    settings = read()
    within = scope(settings, tenant, project)
    if is_file(name):
        connector, config = described_in(name, pairs or (), json)
        must_suit(connector.spec, credential_ref=credential_ref)
        subject = Endpoint(
            scope=within,
            endpoint_id=STANDALONE,
            connector=connector.spec.name,
            config=config,
            credential_ref=credential_ref,
        )
    elif pairs or credential_ref:
        raise ValidationFailure("an endpoint says these itself", hint="`windrow endpoint edit` changes an endpoint")
    else:
        async with acting_for(within.tenant_id) as tx:
            subject = await endpoints.get(tx, within, name)
    sample = await previewed(settings, os.environ, subject, Bounds(rows=rows, seconds=seconds))
    if json:
        show.document(sample)
    else:
        tell(sample)


def tell(sample: Preview) -> None:
    """The items, what would be refused, and why there is no more; the last beside the tables."""
    if sample.ended is not Ended.DISABLED:
        show.table(sample.items, COLUMNS, empty="No item would come of it.")
    if sample.refused:
        typer.echo()
        show.table(map(_row, sample.refused), ("refused", "position", "why"), empty="")
    if sample.samples:
        typer.echo()
        rows = [{"sample_of": named, "row": row} for named, rows in sample.samples.items() for row in rows]
        show.table(rows, ("sample_of", "row"), empty="")
    said = f"{len(sample.items)} items, {len(sample.refused)} refused; {sample.why}."
    Console(stderr=True, highlight=False, soft_wrap=True).print(
        f"warning: {sample.why}" if sample.ended is Ended.DISABLED else said, markup=False
    )


def _row(refusal: Any) -> dict[str, Any]:
    why = "; ".join(f"{each['why']} {each['path']} {each['message']}" for each in refusal.reasons)
    return {"refused": refusal.external_id, "position": refusal.position, "why": why}
