"""Reader: from files to rulesets, with YAML positions, schemas and the search for rulesets."""

from typing import TYPE_CHECKING

from rulesdsl.base.speed import getter

if TYPE_CHECKING:
    from rulesdsl.language.read.files import read_text
    from rulesdsl.language.read.load import load_rulesets
    from rulesdsl.language.read.manifest import is_document
    from rulesdsl.language.read.schema import validate
    from rulesdsl.language.read.yaml import parse_yaml

__all__ = ["is_document", "load_rulesets", "parse_yaml", "read_text", "validate"]

# Checking that no file has changed needs no YAML reader.
__getattr__ = getter(
    __name__,
    {
        "is_document": "rulesdsl.language.read.manifest",
        "load_rulesets": "rulesdsl.language.read.load",
        "parse_yaml": "rulesdsl.language.read.yaml",
        "read_text": "rulesdsl.language.read.files",
        "validate": "rulesdsl.language.read.schema",
    },
)
