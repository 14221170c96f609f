"""Mutants: rulesets with one small change each, to see which changes no scenario notices."""
