"""The games that navigation is about: a ruleset with all that there is to extend its game."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rulesdsl.check.scope import Local
from rulesdsl.lsp.index.build import index
from rulesdsl.lsp.index.symbols import Index
from rulesdsl.pipeline.examined import Examined, examined
from rulesdsl.pipeline.known import Known
from rulesdsl.read.load import extensions_of


@dataclass(frozen=True)
class Family:
    """A game with all that extends it, as far as it can be told, and where its names stand."""

    examined: Examined

    @cached_property
    def index(self) -> Index:
        """Every name in every file."""
        return index(self.examined)

    @cached_property
    def locals(self) -> Mapping[tuple[str, int], Local]:
        """The locals of rules by the file and place where they are declared."""
        draft = self.examined.draft
        contexts = () if draft is None else draft.contexts
        return {
            (each.span.source.name, each.span.start): each
            for context in contexts
            for each in context.locals
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of files in messages by their real paths."""
        sources = [
            source
            for ruleset in self.examined.rulesets
            for source in (ruleset.manifest.span.source, ruleset.rules)
            if source is not None
        ]
        return {os.path.realpath(source.name): source.name for source in sources}

    def ruleset_of(self, file: str) -> str | None:
        """The id of the ruleset that a file is part of, by the file's real path."""
        for ruleset in self.examined.rulesets:
            sources = (ruleset.manifest.span.source, ruleset.rules)
            if any(
                source is not None and os.path.realpath(source.name) == file for source in sources
            ):
                return ruleset.id
        return None


def family(root: str, paths: tuple[str, ...], known: Known) -> Family:
    """The game that the ruleset with the manifest `root` is part of, with every ruleset that is
    found to extend it."""
    alone = examined(root, paths=paths, known=known)
    whole = next((r for r in alone.rulesets if r.manifest.get("game") is not None), None)
    if whole is None:
        return Family(alone)
    beside = tuple(dict.fromkeys((*paths, os.path.dirname(root))))
    game = whole.manifest.span.source.name
    loaded = {each.id for each in alone.rulesets}
    others = [id for id in extensions_of(game, paths=beside) if id not in loaded]
    return Family(examined(root, others, paths=beside, known=known))
