"""The catalog: items with their history and relations, full-text search, and the listings by which one learns what is gone."""

from windrow.catalog.difference import Difference, Kind
from windrow.catalog.facets import Facet, Sure, Tallies, Tally, facets, tallies
from windrow.catalog.filters import Filters
from windrow.catalog.gone import missing_since
from windrow.catalog.history import Change, Mark, Revision, changes, history
from windrow.catalog.indexing import index_some, index_tenant
from windrow.catalog.latest import Fresh, Latest, latest
from windrow.catalog.paging import Page, items
from windrow.catalog.reading import Count, Held, Summary, confirm, counts, identify, item
from windrow.catalog.relations import Related, Relations, Tie, relations, ties
from windrow.catalog.search import DEEPEST, Found, FoundIn, Hit, search

__all__ = [
    "DEEPEST",
    "Change",
    "Count",
    "Difference",
    "Facet",
    "Filters",
    "Found",
    "FoundIn",
    "Fresh",
    "Held",
    "Hit",
    "Kind",
    "Latest",
    "Mark",
    "Page",
    "Related",
    "Relations",
    "Revision",
    "Summary",
    "Sure",
    "Tallies",
    "Tally",
    "Tie",
    "changes",
    "confirm",
    "counts",
    "facets",
    "history",
    "identify",
    "index_some",
    "index_tenant",
    "item",
    "items",
    "latest",
    "missing_since",
    "relations",
    "search",
    "tallies",
    "ties",
]
