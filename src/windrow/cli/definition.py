"""A file that describes a REST API, in the place of a connector or an endpoint: for `connectors check` and `preview`."""

from collections.abc import Sequence
from typing import Any

from windrow.cli.file import content, told
from windrow.connectors import registry
from windrow.connectors.configuration import parse_pairs
from windrow.connectors.registry import AnyConnector
from windrow.connectors.rest.reading import DefinitionRefused, read_definition


def is_file(name: str) -> bool:
    """Whether the name is that of a file; no connector and no endpoint is called so."""
    return name.endswith((".yaml", ".yml"))


def described_in(file: str, pairs: Sequence[str], json: bool) -> tuple[AnyConnector, dict[str, Any]]:
    """The connector and the configuration that the file stands for; what is wrong with it, a line for each fault.

    Whoever runs the command reads the file: it is the shell's word and no endpoint's, so it needs no permit.
    """
    connector = registry.find("rest")
    try:
        definition = read_definition(file, content(file))
    except DefinitionRefused as refused:
        raise refused if json else told(refused) from None
    over = {"definition": definition.model_dump(mode="json", exclude_unset=True)}
    return connector, parse_pairs(connector, pairs, over=over)
