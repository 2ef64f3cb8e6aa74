"""What a connector says about itself: data, from which the CLI's help, the docs and the checks are drawn."""

from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel

from windrow.contracts.errors import Code, Fatal

SMALLEST_PAGE, STANDARD_PAGE, LARGEST_PAGE = 50, 100, 500


class Deletes(StrEnum):
    """How one learns that something is gone."""

    NEVER = "never"
    REPORTED = "reported"  # the source says so: the connector gives tombstones
    LISTED = "listed"  # what a whole listing does not hold any more is gone


class Credential(StrEnum):
    """Whether an endpoint of the connector names a credential."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What the connector can do."""

    metadata: bool = True
    preview: bool = False
    deletes: Deletes = Deletes.NEVER
    incremental: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSizes:
    """How many records a page may have. `fixed`: the source forbids another size behind a cursor that it gave out."""

    smallest: int = SMALLEST_PAGE
    standard: int = STANDARD_PAGE
    largest: int = LARGEST_PAGE
    fixed: bool = False

    def __post_init__(self) -> None:
        if not SMALLEST_PAGE <= self.smallest <= self.standard <= self.largest <= LARGEST_PAGE:
            raise Fatal(
                f"page sizes {self.smallest}, {self.standard}, {self.largest} are refused",
                code=Code.CONFIGURATION,
                hint=f"choose them in order, from {SMALLEST_PAGE} to {LARGEST_PAGE}",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectorSpec:
    """The connector's name and version, what it reads, what its configuration is, and within which limits it works."""

    name: str
    version: str
    title: str
    source_system: str
    config: type[BaseModel]
    capabilities: Capabilities = Capabilities()
    page_sizes: PageSizes = PageSizes()
    credential: Credential = Credential.NONE
    credential_help: str = ""
    max_concurrency: int = 1
    queue: str = "meta-py"
    # what an endpoint may reach is the operator's to say: fields of the config that name a local path or an executable
    path_fields: tuple[str, ...] = ()

    @property
    def spec_ref(self) -> str:
        """How provenance names it."""
        return f"connector.{self.name}@{self.version}"
