"""Builtins of the language: every function, property and effect, declared once."""

from rulesdsl.builtins.catalogue import (
    BOARD,
    EFFECTS,
    FACES,
    FORMS,
    FUNCTIONS,
    PROPERTIES,
    READS,
    Builtin,
    Signature,
)

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
