"""Media jobs: queued by anybody, enriched as their events arrive, moved exactly once from stage to stage."""
