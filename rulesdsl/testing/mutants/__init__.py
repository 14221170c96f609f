"""Mutation testing: rulesets with one small change each, to find changes no scenario notices."""
