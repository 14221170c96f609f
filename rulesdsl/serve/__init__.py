"""Tables on the network: a server that plays any game with people elsewhere, and keeps it.

This folder imports `show`, `play` and whatever lies below them.
"""
