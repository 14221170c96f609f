"""Rulesets in an editor, by the language server protocol."""
