"""All names in the files of a game."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lsp.index.manifest import Manifest
from rulesdsl.lsp.index.meanings import a_ruleset, used
from rulesdsl.lsp.index.rules import Names
from rulesdsl.lsp.index.symbols import Index, Use
from rulesdsl.model.blocks import blocks, declared
from rulesdsl.pipeline.examined import Examined


def index(examined: Examined) -> Index:
    """Where the names of a game stand; nothing if there is too little to tell what they mean."""
    return Index(_uses(examined))


def _uses(examined: Examined) -> Iterator[Use]:
    draft = examined.draft
    if draft is None:
        return
    for ruleset in examined.rulesets:
        yield from Manifest(ruleset, draft).uses()
        module = examined.modules.get(ruleset.id)
        if module is not None:
            for part in draft.symbols.game.parts:
                if part.ruleset == ruleset.id:
                    names = Names(part.id, draft, examined.notes)
                    yield from names.uses(declared(module, part.names))
                    yield from names.locals(module)
            for path in (path for block in blocks(module) for path in block.names):
                yield from used(path.span, a_ruleset(str(path)))
