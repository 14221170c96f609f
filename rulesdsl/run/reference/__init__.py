"""The reference engine: it walks the checked tree over a plain world, slow and obviously right."""
