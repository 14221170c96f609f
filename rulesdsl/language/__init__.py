"""The language: from files to a checked game or findings, and back to text.

This folder imports `base`.
"""
