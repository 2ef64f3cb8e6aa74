"""What can be declared, and with which fields. The JSON Schema of a spec file is drawn from here."""

from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from windrow.contracts.retry import RetryPolicy

# MW-40, MW-30
SMALLEST_PAGE, LARGEST_PAGE = 50, 500
LONGEST_HEARTBEAT = 30

Words = Annotated[str, Field(min_length=1, max_length=500, description="What it is for, in a sentence.")]
Label = Annotated[str, Field(min_length=1, max_length=200)]
Version = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+){0,2}$", description="Rises when its meaning changes.")]
# what YAML gives as a list
Names = Annotated[tuple[Label, ...], Field(strict=False)]


class Entry(BaseModel):
    """One thing that is declared. What the model does not know is refused, and nothing is converted."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Agent(Entry):
    """A part of the system that speaks in log lines."""

    says: Words


class Queue(Entry):
    """A task queue."""

    runtime: Literal["python", "any"] = Field(
        description="`python`: our workers alone. `any`: a worker in any language that keeps the contracts; ours by default."
    )
    says: Words


class Family(Entry):
    """A family of workloads: one namespace in each environment."""

    owner: Label = Field(description="The team that answers for it.")
    contact: Label = Field(description="Where that team is reached when something is wrong.")
    retention_days: int = Field(ge=1, le=3650, description="How long the histories of closed workflows are kept.")
    encryption: Label = Field(description="The alias of the key that payloads are encrypted with.")
    says: Words

    @property
    def retention(self) -> timedelta:
        """How long histories are kept."""
        return timedelta(days=self.retention_days)


class Retry(Entry):
    """How what failed is tried again: by error class within a run, without a class between runs."""

    error_class: Literal["RetryableTransient", "Conflict", "ValidationFailure", "Fatal"] | None = Field(
        None, description="Whose errors it is for; none: it is for runs that failed as a whole."
    )
    first_seconds: float = Field(ge=0, description="The wait after the first failure.")
    ceiling_seconds: float = Field(ge=0, description="No wait is longer.")
    factor: float = Field(2.0, ge=1, le=10, description="By how much each wait is longer than the one before.")
    attempts: int | None = Field(ge=1, description="Tries in all; null: as many as it takes.")
    spread: float = Field(0.0, ge=0, le=1, description="The part of a wait that jitter may take away.")
    says: Words

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.ceiling_seconds < self.first_seconds:
            raise ValueError("ceiling_seconds is below first_seconds")
        return self

    @property
    def policy(self) -> RetryPolicy:
        """The same as the code's own value."""
        first, ceiling = timedelta(seconds=self.first_seconds), timedelta(seconds=self.ceiling_seconds)
        return RetryPolicy(first, ceiling, self.attempts, self.factor, self.spread)


class Workflow(Entry):
    """A workflow that our workers register."""

    queue: Label = Field(description="Where the workflow itself runs.")
    activity_queues: Names = Field(description="Where its activities run.")
    family: Label = Field(description="In which family's namespace it runs.")
    says: Words


class Activity(Entry):
    """An activity that our workers register."""

    queues: Names = Field(min_length=1, description="Where it is registered.")
    says: Words


class Directive(Entry):
    """What an agent is told to do, and within which limits: a workflow, or a connector's part in one."""

    version: Version
    agent: Label = Field(description="Who acts, in log lines.")
    queue: Label = Field(description="Where the work is done.")
    workflow: Label = Field(description="The workflow that does it.")
    family: Label = Field(description="In which family's namespace.")
    page_size: int = Field(
        ge=SMALLEST_PAGE, le=LARGEST_PAGE, description="How many things it takes at a time when nobody chooses."
    )
    heartbeat_seconds: int = Field(
        LONGEST_HEARTBEAT, ge=1, le=LONGEST_HEARTBEAT, description="How often its activities say that they live."
    )
    retries: Names = Field(description="The policies within a run, one for each error class.")
    backoff: Label | None = Field(None, description="The policy between runs, where there are several.")
    contracts: Names = Field(description="What crosses from one queue to another, `name@version`.")
    says: Words

    @property
    def heartbeat(self) -> timedelta:
        """How often its activities say that they live."""
        return timedelta(seconds=self.heartbeat_seconds)
