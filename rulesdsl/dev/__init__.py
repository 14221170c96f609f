"""Working on rulesets: after every change they are checked, their scenarios are tried, and the game
at hand is played to the same position."""
