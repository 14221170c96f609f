"""What is left of a manifest with mistakes, so that one reading shows all that is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import compress

from rulesdsl.diagnostics import Report, Source, Span
from rulesdsl.model.nodes import Mapping, Node, Scalar
from rulesdsl.model.nodes import Sequence as List
from rulesdsl.read.yaml import parse_yaml

_STAND_IN = """\
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: play, finish: finish, score: player.score}
"""

KEPT = frozenset({"ruleset", "version", "edition"})
"""Keys that stay whatever is wrong with them, as long as they have a plain value."""


def without(manifest: Mapping, bad: Sequence[Span]) -> tuple[Mapping, tuple[Span, ...]]:
    """A manifest without the entries that hold one of the `bad` spans, and where these stand.

    Left out is the smallest part that means something by itself: an entry of a section, or a whole
    section if the mistake lies outside of its entries.
    """
    entries: list[tuple[Scalar, Node]] = []
    left_out: list[Span] = []
    for key, value in manifest:
        stand_in = _stand_ins().get(key.value)
        whole = key.span.to(value.span)
        if not any(_holds(whole, each) for each in bad):
            entries.append((key, value))
        elif isinstance(value, Scalar) and key.value in KEPT:
            entries.append((key, value))
            left_out.append(whole)
        elif stand_in is not None:
            entries.append((key, stand_in))
            left_out.append(whole)
        else:
            section, spans = _section(key, value, [each for each in bad if _holds(whole, each)])
            entries += [(key, section)] if section is not None else []
            left_out += spans if section is not None else [whole]
    return replace(manifest, entries=tuple(entries)), tuple(left_out)


def stands_in(span: Span) -> bool:
    """Whether a place is in what was put where a mistake was, so that nobody can go there."""
    return span.source is _stand_ins()["game"].span.source


@cache
def _stand_ins() -> dict[str | int | bool, Node]:
    """What takes the place of sections without which there is no game at all."""
    node = parse_yaml(Source("", _STAND_IN), Report())
    assert isinstance(node, Mapping)
    return {key.value: value for key, value in node}


def _section(key: Scalar, value: Node, bad: Sequence[Span]) -> tuple[Node | None, list[Span]]:
    """A section without its bad entries, and these; None if all of it is bad. Of what was left out
    on reading already only the place is known."""
    if isinstance(value, Scalar) or any(_holds(key.span, each) for each in bad):
        return None, []
    if isinstance(value, List):
        items = [item.span for item in value]
        good = [not any(_holds(span, each) for each in bad) for span in items]
        kept: Node = replace(value, items=tuple(compress(value.items, good)))
    else:
        items = [name.span.to(inner.span) for name, inner in value]
        good = [not any(_holds(span, each) for each in bad) for span in items]
        kept = replace(value, entries=tuple(compress(value.entries, good)))
    return kept, [*(span for span, fits in zip(items, good, strict=True) if not fits), *bad]


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= max(outer.end, outer.start + 1)
