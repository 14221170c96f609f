"""Engines, which play checked games."""
