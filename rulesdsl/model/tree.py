"""What syntax trees and checked trees have in common."""


class Tree:
    """Base of all nodes of both."""
