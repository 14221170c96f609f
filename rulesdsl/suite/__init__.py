"""Many tests at once: the files of scenarios and golden records in folders and archives, tried side
by side, what they show together, and how that is told."""
