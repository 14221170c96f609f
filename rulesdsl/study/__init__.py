"""Games in bulk: statistics of many games, and environments for programs that learn.

This folder imports `play` and whatever lies below that.
"""
