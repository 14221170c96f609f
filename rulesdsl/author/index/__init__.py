"""The index of a folder of rulesets: which of them go together, and a page for each."""
