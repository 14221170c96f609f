"""The studio: an editor for rulesets with a game beside it, as answers to a page in a browser."""
