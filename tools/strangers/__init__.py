"""How well the checker sees that expansions which do not know each other meet."""
