"""The runtime of the lowered engines: grids, features, zones, chance and frames over flat tables.

It is plain Python in a small typed subset (`docs/reference/ir.md`): it runs as it is, and is read
into the IR, where it is compiled together with the rules. `tables` declares all tables.
"""
