"""What does not hold in a scenario, and how the file would have to be changed for it to hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulesdsl.diagnostics import Diagnostic, Span
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.play.scenario.layout import block, flow, scalar

_QUOTES = ("'", '"')


@dataclass(frozen=True)
class Edit:
    """A part of a file and the text that should stand there."""

    span: Span
    text: str


@dataclass(frozen=True)
class Finding:
    """What does not hold, and the edits after which it does; none where a person has to think."""

    diagnostic: Diagnostic
    edits: tuple[Edit, ...] = ()


class Findings:
    """Gathers findings; an equal one is kept once."""

    def __init__(self) -> None:
        self._found: dict[Finding, None] = {}

    def wrong(
        self, span: Span, message: str, help: Sequence[str] = (), edits: Sequence[Edit] = ()
    ) -> None:
        """Something does not hold."""
        self.add(Diagnostic("scenario-failed", message, span, help=tuple(help)), edits)

    def add(self, diagnostic: Diagnostic, edits: Sequence[Edit] = ()) -> None:
        """Something is wrong."""
        self._found[Finding(diagnostic, tuple(edits))] = None

    def sorted(self) -> tuple[Finding, ...]:
        """All findings by position."""
        return tuple(sorted(self._found, key=lambda each: each.diagnostic.sort_key))


def rewritten(node: Node, value: object) -> Edit:
    """The edit that puts `value` in the place of a node, laid out as that is."""
    written = node.span.text
    if isinstance(node, Scalar):
        text = scalar(value, True)
        if isinstance(value, str) and text == value and written[:1] in _QUOTES:
            text = written[0] + text + written[0]
    elif written[:1] in ("[", "{") or not value:
        text = flow(value)
    else:
        text = "\n".join(block(value, node.span.column - 1)).lstrip()
    return Edit(node.span, text)
