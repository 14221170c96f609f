"""Reader: from files to rulesets, with YAML positions, schemas and the search for rulesets."""
