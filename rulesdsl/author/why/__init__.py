"""Explanations of points, of moves that are not offered, and of the rules that applied."""
