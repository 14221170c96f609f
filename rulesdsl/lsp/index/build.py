"""All names in the files of a game."""

from __future__ import annotations

from collections.abc import Iterator

from rulesdsl.lsp.index.manifest import Manifest
from rulesdsl.lsp.index.rules import Names
from rulesdsl.lsp.index.symbols import Index, Use
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
            names = Names(ruleset.id, draft, examined.notes)
            yield from names.uses(module)
            yield from names.locals(module)
