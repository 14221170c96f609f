"""Tools for authors: tests, findings, explanations, editors, versions and packing.

This folder imports `show`, `study`, `play` and whatever lies below them.
"""
