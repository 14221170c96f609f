"""Geometry of pieces: from drawings to segments, fills and rotations."""
