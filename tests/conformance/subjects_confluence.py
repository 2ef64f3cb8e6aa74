"""A site, as the conformance suite needs it: some spaces, pages with labels and restrictions, posts, comments, attachments."""

import random
from datetime import UTC, datetime
from pathlib import Path

from tests.conformance.subjects import Subject
from tests.fakes.confluence import Confluence
from tests.fakes.confluence.people import fill

from windrow.connectors.confluence import ConfluenceConnector


def subject(tmp_path: Path) -> Subject:
    """Some 220 things, in a site whose clock stands still."""
    site = Confluence()
    # what a page says of the time is part of what is compared; and not so old that all is listed anew
    site.wiki.held = datetime.now(UTC).replace(microsecond=0)
    fill(site.wiki, 220, random.Random(6))
    site.start()
    pages = [page for page in site.wiki.of_type("page") if page.at and not list(site.wiki.parts(page))]
    leaves = [page for page in pages if not site.wiki.below(page)]

    def mutate() -> None:
        with site.lock:
            site.wiki.edit(leaves[0], "renamed")
            site.wiki.add("comment", "Re: renamed", leaves[0].space, leaves[0].id)
            site.wiki.trash(leaves[1])

    return Subject(
        name="confluence",
        connector=ConfluenceConnector,
        config={"base_url": site.address},
        permits_root=tmp_path,
        mutate=mutate,
        credential="oauth-token-of-ada",
        addresses=(site.door,),
        close=site.close,
    )
