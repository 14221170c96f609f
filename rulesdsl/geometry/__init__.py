"""Geometry of square pieces: from drawings to segments, fills and rotations."""
