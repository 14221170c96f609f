"""The `with` blocks of a rules text, and the declarations in them."""

from __future__ import annotations

from rulesdsl.model.ast import Decl, Module, WithDecl


def blocks(module: Module) -> tuple[WithDecl, ...]:
    """The `with` blocks."""
    return tuple(each for each in module.declarations if isinstance(each, WithDecl))


def named(block: WithDecl) -> tuple[str, ...]:
    """The rulesets that a block names, each once, sorted."""
    return tuple(sorted(set(map(str, block.names))))


def declared(module: Module, rulesets: tuple[str, ...] = ()) -> tuple[Decl, ...]:
    """The declarations outside `with` blocks, or those of blocks that name these rulesets."""
    if not rulesets:
        return tuple(each for each in module.declarations if not isinstance(each, WithDecl))
    found = (each.declarations for each in blocks(module) if named(each) == rulesets)
    return tuple(inner for block in found for inner in block)


def every(module: Module) -> tuple[Decl, ...]:
    """The declarations outside `with` blocks and inside of them, as they follow each other."""
    return tuple(
        inner
        for each in module.declarations
        for inner in (each.declarations if isinstance(each, WithDecl) else (each,))
    )
