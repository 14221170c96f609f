"""The `python` engine: games are lowered, and their rules are printed as Python."""
