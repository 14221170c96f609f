"""Scaffolding and packaging of rulesets: their first files, and archives of them."""
