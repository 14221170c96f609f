"""Expressions of the rules as expressions of the IR, with the loops and sets they need."""
