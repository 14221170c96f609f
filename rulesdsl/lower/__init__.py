"""Lower: a checked game for some number of players becomes a program over flat integers."""
