"""What helps to write rulesets and to give them away: their first files, and archives of them."""
