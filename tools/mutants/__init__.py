"""Mistakes made on purpose: rulesets with one slip each, and whether the checker sees it."""
