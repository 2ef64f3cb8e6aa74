"""What the catalog says."""

from windrow.telemetry.declare import Event, Gauge, Histogram, Level

EVENTS = (Event("search.tidied", Level.DEBUG, "Words that were written last were sorted into the index.", ("pages",)),)

SEARCH_SECONDS = Histogram(
    "catalog_search_seconds",
    "How long a search took, by whether all items were looked at or, the words being frequent, a sample (all, sample).",
    labels=("reach",),
)

SEARCH_BACKLOG = Gauge(
    "catalog_search_backlog_items",
    "Items that were written and are not found by their present words yet, of all tenants.",
)
