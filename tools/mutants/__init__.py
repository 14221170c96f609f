"""Mutation tests of the checker: rulesets with one deliberate mistake each."""
