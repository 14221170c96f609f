"""What the language offers: every function, property and effect, declared once."""

from rulesdsl.builtins.catalogue import EFFECTS, FUNCTIONS, PROPERTIES, Builtin, Signature

__all__ = ["EFFECTS", "FUNCTIONS", "PROPERTIES", "Builtin", "Signature"]
