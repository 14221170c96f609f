"""Where the names of rulesets stand, and what each means there."""
