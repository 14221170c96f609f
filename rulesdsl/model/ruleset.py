"""A ruleset as read: its manifest with positions and the text of its rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from rulesdsl.diagnostics import Source, Span
from rulesdsl.model.nodes import Mapping, texts

_SETTING = re.compile(r"settings\.(\w+)")


@dataclass(frozen=True)
class Named:
    """A name with its span."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Ruleset:
    """A ruleset: a manifest that satisfies its schema, and the text of its rules.

    `requires` are the rulesets it extends; `interaction` are the groups of parties whose
    combinations it describes (empty for an ordinary ruleset); `house` rulesets beat all others.
    `rules` is None when the manifest names no rules file. `digest` is the SHA-256 (hex) over the
    bytes of both files. `left_out` are the spans of the manifest that could not be used.
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
        """The rulesets it needs: those it extends, and the parties common to all its groups."""
        names = [{each.name for each in group} for group in self.interaction]
        first = self.interaction[0] if self.interaction else ()
        return (*self.requires, *(n for n in first if all(n.name in each for each in names)))

    @property
    def parties(self) -> tuple[Named, ...]:
        """All parties of an interaction, each as it is named first."""
        every = (each for group in reversed(self.interaction) for each in reversed(group))
        return tuple(reversed({each.name: each for each in every}.values()))

    @cached_property
    def settings_read(self) -> frozenset[str]:
        """The names that expressions in the manifest read as `settings.name`, of any ruleset."""
        found = (_SETTING.findall(text) for text in texts(self.manifest))
        return frozenset(name for names in found for name in names)
