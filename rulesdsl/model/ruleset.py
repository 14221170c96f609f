"""A ruleset as it was read: its manifest with positions and the text of its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from rulesdsl.diagnostics import Source, Span
from rulesdsl.model.nodes import Mapping, texts

_SETTING = re.compile(r"settings\.(\w+)")


@dataclass(frozen=True)
class Named:
    """A name and the place it was written."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Ruleset:
    """One ruleset: a manifest that satisfies its schema, and the text of its rules.

    `requires` are the rulesets it extends; `interaction` the groups of parties whose meetings it
    describes (empty for an ordinary ruleset); `house` rulesets beat all others. `rules` is None
    when the manifest names no rules file. `digest` is the SHA-256 (hex) over the bytes of both
    files. `left_out` is what stands in the manifest and was not understood.
    """

    id: str
    version: str
    edition: int
    manifest: Mapping
    rules: Source | None
    digest: str
    requires: tuple[Named, ...] = ()
    interaction: tuple[tuple[Named, ...], ...] = ()
    house: bool = False
    left_out: tuple[Span, ...] = field(default=(), compare=False, repr=False)

    @property
    def needs(self) -> tuple[Named, ...]:
        """The rulesets without which it means nothing: those it extends, and the parties that all
        its meetings have in common."""
        names = [{each.name for each in group} for group in self.interaction]
        first = self.interaction[0] if self.interaction else ()
        return (*self.requires, *(n for n in first if all(n.name in each for each in names)))

    @property
    def parties(self) -> tuple[Named, ...]:
        """All parties of an interaction, each where it is named first."""
        every = (each for group in reversed(self.interaction) for each in reversed(group))
        return tuple(reversed({each.name: each for each in every}.values()))

    @cached_property
    def settings_read(self) -> frozenset[str]:
        """Names that expressions in the manifest read as `settings.name`, of whichever ruleset."""
        found = (_SETTING.findall(text) for text in texts(self.manifest))
        return frozenset(name for names in found for name in names)
