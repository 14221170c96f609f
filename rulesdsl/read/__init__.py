"""Files to rulesets: YAML with positions, schemas, and the search for rulesets."""
