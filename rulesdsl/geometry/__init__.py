"""The geometry of square pieces: what is drawn, what fills the rest, and how it all turns."""
