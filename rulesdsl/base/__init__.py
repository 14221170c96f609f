"""Plumbing that knows no ruleset: files, caches, clocks, processes, and the program's own texts.

This folder imports nothing else of the package.
"""
