"""Games shown: drawings, books and web pages.

This folder imports `play` and whatever lies below that.
"""
