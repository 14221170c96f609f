"""The tables of a lowered game: how large, what is in them, which number stands for what."""
