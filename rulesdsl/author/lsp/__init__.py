"""The language server: rulesets in an editor, by the language server protocol."""
