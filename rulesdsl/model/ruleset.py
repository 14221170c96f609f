"""A ruleset as it was read: its manifest with positions and the text of its rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulesdsl.diagnostics import Source, Span
from rulesdsl.model.nodes import Mapping


@dataclass(frozen=True)
class Named:
    """A name and the place it was written."""

    name: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Ruleset:
    """One ruleset: a manifest that satisfies its schema, and the text of its rules.

    `requires` are the rulesets it extends; `interaction` the parties whose meeting it describes
    (empty for an ordinary ruleset); `house` rulesets beat all others. `rules` is None when the
    manifest names no rules file. `digest` is the SHA-256 (hex) over the bytes of both files.
    """

    id: str
    version: str
    edition: int
    manifest: Mapping
    rules: Source | None
    digest: str
    requires: tuple[Named, ...] = ()
    interaction: tuple[Named, ...] = ()
    house: bool = False
