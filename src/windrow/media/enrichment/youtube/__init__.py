"""YouTube, asked through its Data API v3: sparingly, for it counts."""

from windrow.media.enrichment.youtube.client import BASE_URL, POLICY, ReadKey
from windrow.media.enrichment.youtube.provider import Youtube, opened
from windrow.media.enrichment.youtube.video import PROVIDER

__all__ = ["BASE_URL", "POLICY", "PROVIDER", "ReadKey", "Youtube", "opened"]
