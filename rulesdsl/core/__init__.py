"""The core of the lowered engines: grids, features, zones, chance and frames over flat tables.

Plain Python in a small typed subset (`docs/reference/ir.md`, "the core"): it runs as it is, and it
is read into the IR, where it is compiled together with the rules. `tables` declares all tables.
"""
