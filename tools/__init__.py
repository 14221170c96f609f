"""Developer commands, run from the root of a checkout with `python3 -m tools`."""
