"""Windrow: metadata from everywhere, in one Postgres catalog, exactly once."""
