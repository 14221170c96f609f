"""What helps to write rulesets: their first files."""
