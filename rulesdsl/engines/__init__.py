"""Engines: from a checked game to positions that can be played."""
