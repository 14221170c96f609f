"""The games that navigation covers: a ruleset with all rulesets that extend its game.

Renaming changes a symbol everywhere it is named in them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property

from rulesdsl.base.records import dataclass
from rulesdsl.engine.build.combinations import absent
from rulesdsl.engine.build.stages import Analysis, StageMemo, analyse
from rulesdsl.language.builtins import why_taken
from rulesdsl.language.check.scope import ScopeLocal
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model.ast import named
from rulesdsl.language.model.game import Ruleset
from rulesdsl.language.model.names import RulesetId
from rulesdsl.language.model.uses import Symbol, Uses
from rulesdsl.language.read.load import extensions_of


@dataclass(frozen=True)
class Family:
    """A game with all readable rulesets that extend it, and its index of names."""

    examined: Analysis

    @property
    def index(self) -> Uses:
        """The index of every name in every file."""
        return self.examined.uses

    @cached_property
    def locals(self) -> Mapping[tuple[str, int], ScopeLocal]:
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
        """The names of files in messages, by their real paths."""
        sources = [
            source
            for ruleset in self.examined.rulesets
            for source in (ruleset.manifest.span.source, ruleset.rules)
            if source is not None
        ]
        return {os.path.realpath(source.name): source.name for source in sources}

    def ruleset_of(self, file: str) -> str | None:
        """Return the id of the ruleset that a file is part of, by the file's real path."""
        for ruleset in self.examined.rulesets:
            sources = (ruleset.manifest.span.source, ruleset.rules)
            if any(
                source is not None and os.path.realpath(source.name) == file for source in sources
            ):
                return ruleset.id
        return None


def alone(root: str, paths: tuple[str, ...], known: StageMemo) -> Analysis:
    """Return the game of the ruleset with the manifest `root`.

    Rulesets that its `with` blocks name are part of it.
    """
    found = analyse(root, paths=paths, known=known)
    ids = {each.id for each in found.rulesets if _is_of(each, root)}
    missing = (block for ruleset, block in absent(found.rulesets, known) if ruleset.id in ids)
    names = list(dict.fromkeys(RulesetId(name) for block in missing for name in named(block)))
    met = analyse(root, names, paths=paths, known=known) if names else found
    return found if met.draft is None else met


def _is_of(ruleset: Ruleset, manifest: str) -> bool:
    return os.path.realpath(ruleset.manifest.span.source.name) == os.path.realpath(manifest)


def family(root: str, paths: tuple[str, ...], known: StageMemo) -> Family:
    """Return the game of the manifest `root`, with every ruleset that extends it."""
    near = alone(root, paths, known)
    others = extending(near, root, paths)
    if not others:
        return Family(near)
    return Family(analyse(root, others, paths=_beside(root, paths), known=known))


def extending(near: Analysis, root: str, paths: tuple[str, ...]) -> list[RulesetId]:
    """Return the ids of all rulesets that extend the same game as the manifest `root`.

    The ruleset itself is left out. The list is empty if it is part of no game.
    """
    whole = next((r for r in near.rulesets if r.manifest.get("game") is not None), None)
    if whole is None:
        return []
    game = whole.manifest.span.source.name
    own = {each.id for each in near.rulesets if _is_of(each, root)}
    return [id for id in extensions_of(game, paths=_beside(root, paths)) if id not in own]


def _beside(root: str, paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*paths, os.path.dirname(root))))


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ID = re.compile(r"[A-Za-z0-9_-]{1,60}")
Edits = Mapping[str, list[tuple[Span, str]]]
"""Edits by the real path of the file: places, and their replacement texts."""


class Refused(Exception):
    """The reason, in a sentence, why a request of an editor or of the studio is refused."""


def check_renamable(symbol: Symbol) -> None:
    """Raise `Refused` for a symbol that no author has named."""
    if symbol.own:
        raise Refused(f"`{symbol.name}` is a name of the language")
    if symbol.what == "ruleset":
        raise Refused("the id of a ruleset is also in the names of files: change it by hand")


def renamed(family: Family, symbol: Symbol, name: str) -> Edits:
    """Return the edits that rename a symbol.

    Raises `Refused` if `name` is not valid for the symbol, or already taken.
    """
    check_renamable(symbol)
    is_id = symbol.what in ("component", "face")
    if not (_ID.fullmatch(name) if is_id else is_name(name)):
        made_of = "letters, digits, `_`" + (" and `-`" if is_id else "")
        raise Refused(f"`{name}` is not a valid name: use {made_of}")
    if reason := why_taken(name, symbol.what):
        raise Refused(reason)
    edits: dict[str, list[tuple[Span, str]]] = {}
    for use in family.index.of(symbol):
        quoted = use.span.text[:1] == "'" or not is_name(name)
        text = f"'{name}'" if quoted and use.span.source.name.endswith(".rules") else name
        path = os.path.realpath(use.span.source.name)
        edits.setdefault(path, []).append((use.span, text))
    return edits


def is_name(text: str) -> bool:
    """Return whether a text is a name of the language, which needs no quotes."""
    return _NAME.fullmatch(text) is not None


def applied(text: str, edits: list[tuple[Span, str]]) -> str:
    """Return a text with edits applied."""
    for span, new in sorted(edits, key=lambda edit: edit[0].start, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text
