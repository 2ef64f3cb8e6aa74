"""The rows of the harvest benchmark: about 700 bytes each, the same for everybody."""

import hashlib
import random
from collections.abc import Iterator
from typing import Any

WORDS = [
    "harvest",
    "catalog",
    "page",
    "lane",
    "epoch",
    "cursor",
    "outbox",
    "batch",
    "item",
    "source",
    "tenant",
    "project",
    "relay",
    "topic",
    "message",
    "stage",
    "media",
    "clip",
    "worker",
    "queue",
    "schedule",
    "temporal",
    "postgres",
    "index",
    "report",
    "budget",
    "invoice",
    "contract",
    "draft",
    "review",
    "meeting",
    "roadmap",
    "design",
]


def rows(first: int, count: int, seed: int = 1) -> Iterator[dict[str, Any]]:
    """So many, from a number on; the same number is the same row."""
    for number in range(first, first + count):
        drawn = random.Random(seed * 1_000_003 + number)
        name = f"{drawn.choice(WORDS)}-{number}.md"
        folder = f"{drawn.choice(WORDS)}/{drawn.choice(WORDS)}/{number % 977}"
        yield {
            "entity_type": "file",
            "external_id": f"file:{folder}/{name}",
            "display_name": name,
            "canonical_path": f"/{folder}/{name}",
            "url": f"https://files.example.org/{folder}/{name}",
            "owners": ["ada@example.org", f"{drawn.choice(WORDS)}@example.org"],
            "labels": sorted(drawn.sample(WORDS, 3)),
            "source_version": hashlib.sha1(str(number).encode()).hexdigest(),
            "source_created_at": "2026-01-02T03:04:05Z",
            "source_updated_at": "2026-02-03T04:05:06Z",
            "attributes": {
                "size": number,
                "mode": "100644",
                "summary": " ".join(drawn.choices(WORDS, k=22)),
            },
        }
