"""The tables of a lowered game: their sizes and contents, and the encoding of values as numbers."""
