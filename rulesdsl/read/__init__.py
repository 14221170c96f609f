"""Files to rulesets: YAML with positions, schemas, and the search for rulesets."""

from rulesdsl.read.document import is_document
from rulesdsl.read.files import read_text
from rulesdsl.read.load import load_rulesets
from rulesdsl.read.schema import validate
from rulesdsl.read.yaml import parse_yaml

__all__ = ["is_document", "load_rulesets", "parse_yaml", "read_text", "validate"]
