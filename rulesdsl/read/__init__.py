"""Reader: from files to rulesets, with YAML positions, schemas and the search for rulesets."""

from typing import TYPE_CHECKING

from rulesdsl.lazy import getter

if TYPE_CHECKING:
    from rulesdsl.read.files import read_text
    from rulesdsl.read.load import load_rulesets
    from rulesdsl.read.manifest import is_document
    from rulesdsl.read.schema import validate
    from rulesdsl.read.yaml import parse_yaml

__all__ = ["is_document", "load_rulesets", "parse_yaml", "read_text", "validate"]

# Checking that no file has changed needs no YAML reader.
__getattr__ = getter(
    __name__,
    {
        "is_document": "rulesdsl.read.manifest",
        "load_rulesets": "rulesdsl.read.load",
        "parse_yaml": "rulesdsl.read.yaml",
        "read_text": "rulesdsl.read.files",
        "validate": "rulesdsl.read.schema",
    },
)
