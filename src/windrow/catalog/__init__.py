"""The catalog: items with their history and relations, full-text search, and the listings by which one learns what is gone."""

from windrow.catalog.difference import Difference, Kind
from windrow.catalog.filters import Filters
from windrow.catalog.history import Change, Mark, Revision, changes, history
from windrow.catalog.indexing import index_some, index_tenant
from windrow.catalog.reading import Count, Held, Page, Summary, counts, identify, item, items
from windrow.catalog.relations import Related, Relations, relations
from windrow.catalog.search import DEEPEST, Found, FoundIn, Hit, search

__all__ = [
    "DEEPEST",
    "Change",
    "Count",
    "Difference",
    "Filters",
    "Found",
    "FoundIn",
    "Held",
    "Hit",
    "Kind",
    "Mark",
    "Page",
    "Related",
    "Relations",
    "Revision",
    "Summary",
    "changes",
    "counts",
    "history",
    "identify",
    "index_some",
    "index_tenant",
    "item",
    "items",
    "relations",
    "search",
]
