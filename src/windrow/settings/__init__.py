"""Every setting: typed, frozen, read once at the edge. `WINDROW_<NAME>`, and the bare name where a seed gives one (D10).

A file for each group; the reference page docs/reference/settings.md is drawn from them.
"""

import difflib
import os
from collections.abc import Mapping

from pydantic import AliasChoices, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import SettingsConfigDict

from windrow.contracts.errors import Code, Fatal
from windrow.settings.engines import Engines
from windrow.settings.fields import PREFIX
from windrow.settings.installation import Installation
from windrow.settings.jobs import JobRuntime
from windrow.settings.keeping import Keeping
from windrow.settings.knowing import Knowing
from windrow.settings.media import MediaJobs
from windrow.settings.reaching import Reaching
from windrow.settings.serving import Serving
from windrow.settings.telling import Telling

__all__ = ["PREFIX", "Settings", "read", "unknown", "variables"]


# the last of them stands first on the page
class Settings(JobRuntime, Keeping, MediaJobs, Reaching, Knowing, Serving, Telling, Engines, Installation):
    """What can be set from outside."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    @property
    def owner_url(self) -> SecretStr | None:
        """The login that migrates."""
        return self.database_owner_url or self.database_url


def variables() -> dict[str, tuple[tuple[str, ...], FieldInfo]]:
    """Each setting with the variables it is read from."""
    return {name: (_names(name, field), field) for name, field in Settings.model_fields.items()}


def _names(name: str, field: FieldInfo) -> tuple[str, ...]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (f"{PREFIX}{name.upper()}",)


def read() -> Settings:
    """The settings of this process, or one error that names every variable that is wrong."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = "; ".join(f"{_variable(fault['loc'])}: {fault['msg']}" for fault in error.errors())
        raise Fatal(
            f"settings are wrong: {wrong}", code=Code.CONFIGURATION, hint="see docs/reference/settings.md"
        ) from None


def _variable(location: tuple[int | str, ...]) -> str:
    name = str(location[0])
    return name if name.isupper() else f"{PREFIX}{name.upper()}"


def unknown(environment: Mapping[str, str] = os.environ) -> dict[str, str | None]:
    """Variables that look like settings and are none, each with the setting that was probably meant."""
    known = {name for names, _ in variables().values() for name in names}
    # WINDROW_SECRET_* hold credentials, WINDROW_TEST_* belong to the tests
    strays = [
        name
        for name in environment
        if name.startswith(PREFIX) and not name.startswith((f"{PREFIX}SECRET_", f"{PREFIX}TEST_"))
    ]
    return {
        name: next(iter(difflib.get_close_matches(name, known, 1, cutoff=0.8)), None)
        for name in strays
        if name not in known
    }
