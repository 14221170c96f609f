"""What the language offers: every function, property and effect, declared once."""

from rulesdsl.builtins.catalogue import EFFECTS, FORMS, FUNCTIONS, PROPERTIES, Builtin, Signature
from rulesdsl.builtins.reads import BOARD, FACES, READS

__all__ = [
    "BOARD",
    "EFFECTS",
    "FACES",
    "FORMS",
    "FUNCTIONS",
    "PROPERTIES",
    "READS",
    "Builtin",
    "Signature",
]
