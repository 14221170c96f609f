"""Files to rulesets: YAML with positions, schemas, and the search for rulesets."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulesdsl.read.document import is_document
    from rulesdsl.read.files import read_text
    from rulesdsl.read.load import load_rulesets
    from rulesdsl.read.schema import validate
    from rulesdsl.read.yaml import parse_yaml

__all__ = ["is_document", "load_rulesets", "parse_yaml", "read_text", "validate"]

_HOMES = {
    "is_document": "document",
    "load_rulesets": "load",
    "parse_yaml": "yaml",
    "read_text": "files",
    "validate": "schema",
}


def __getattr__(name: str) -> object:
    """Imported when first used: to see that no file has changed takes no reader of YAML."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
