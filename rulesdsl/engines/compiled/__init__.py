"""Positions of lowered games, independent of the machine that runs their program.

The program plays. All other requests are answered by a twin, a position of the reference engine
with the same history.
"""
