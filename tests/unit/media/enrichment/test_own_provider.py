"""The provider of the how-to page does what the page says."""

import re
from pathlib import Path
from typing import Any

import pytest

from windrow.contracts.scope import Scope
from windrow.media.enriching import Question
from windrow.media.enrichment import Enrichment
from windrow.media.errors import EnrichmentImpossible, UnsupportedMediaTypeError
from windrow.media.job import Media

PAGE = Path(__file__).parents[4] / "docs" / "how-to" / "enrich-youtube.md"


def asking(kind: str, url: str) -> Question:
    return Question(Scope("acme", "main"), "job-1", "request-1", Media(type=kind, url=url))


async def test_the_provider_of_the_page_is_asked_by_its_type() -> None:
    found = re.search(r"```python\n(from .*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    page: dict[str, Any] = {}
    exec(found[1], page)
    enrichment = Enrichment({"podcast": page["Podcasts"]({"one": "Episode one"})})

    assert (await enrichment.snapshot(asking("podcast", "one"))).title == "Episode one"
    with pytest.raises(EnrichmentImpossible, match="no episode 'two'"):
        await enrichment.snapshot(asking("podcast", "two"))
    with pytest.raises(UnsupportedMediaTypeError) as told:
        await enrichment.snapshot(asking("Podcast", "one"))
    assert told.value.hint == "there are: podcast"
