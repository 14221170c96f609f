"""Positions of lowered games, whatever machine their program runs on.

The hot path runs the program; all else is asked of a readable twin, a runtime of the reference
engine made of the same tables.
"""
