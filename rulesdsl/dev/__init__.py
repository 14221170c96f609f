"""Live work on rulesets: checks, scenarios and a replayed game after every change."""
