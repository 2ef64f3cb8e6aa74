"""Enrichment: what is known of a medium elsewhere, asked by its type.

    async with youtube.opened(read_key) as videos:
        enrichment = Enrichment({"youtube": videos, "file": Files(probe)}, Speakers(database))
        snapshot = await enrichment.snapshot(question)

A provider of your own is one more entry of that mapping.
"""

from windrow.media.enrichment.files import Files, Probed, Prober
from windrow.media.enrichment.registry import Enrichment

__all__ = ["Enrichment", "Files", "Probed", "Prober"]
