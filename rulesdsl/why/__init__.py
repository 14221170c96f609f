"""Why things are as they are in a game: points, moves that are not offered, rules that won."""
