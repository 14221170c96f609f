"""A rules language for tile-laying games, cards and dice, and an engine that plays any ruleset."""
