"""The engine: from a checked game to a program, and whatever runs it.

This folder imports `language` and `base`.
"""
