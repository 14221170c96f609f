"""What an entry says its sides show, compared with what is drawn on it."""

from __future__ import annotations

from rulesdsl.diagnostics import Label, Report
from rulesdsl.diagnostics.wording import did_you_mean, listed
from rulesdsl.geometry.ring import outer_sides, side_name
from rulesdsl.model.geometry import Outline
from rulesdsl.model.nodes import Node, Scalar
from rulesdsl.weave import look
from rulesdsl.weave.drawing import Palette
from rulesdsl.weave.names import Entry

NOTHING = "none"
"""What is written for a side on which nothing lies."""


def check_sides(
    entry: Entry, said: Node, colours: Palette, outline: Outline, report: Report
) -> None:
    """Report `sides-differ` if the drawing does not show on every side what `said` lists,
    clockwise from the north-west."""
    sides = outer_sides(outline.size)
    shown = [_shown(colours, outline.sides[side]) for side in sides]
    words = look.scalars(said)
    help = (f"the drawing shows `sides: [{', '.join(shown)}]`",)
    if len(words) != len(sides):
        message = f"`{entry.name}` has {len(sides)} sides, and {len(words)} are listed"
        report.error("sides-differ", message, said.span, help=help)
        return
    unknown = [word for word in words if _unknown(word, colours, report)]
    if unknown:
        return
    wrong = [
        (word, side_name(side, outline.size), kind)
        for word, side, kind in zip(words, sides, shown, strict=True)
        if word.value != kind
    ]
    if wrong:
        names = listed([f"`{name}` shows {kind}" for _, name, kind in wrong], "and")
        report.error(
            "sides-differ",
            f"`{entry.name}` is not drawn as its sides are listed: {names}",
            wrong[0][0].span,
            mark=f"{wrong[0][2]} in the drawing",
            labels=[Label(entry.span, "the piece")],
            help=(*help, "correct the list, or what is drawn"),
        )


def _unknown(word: Scalar, colours: Palette, report: Report) -> bool:
    """Whether a word names nothing that can be drawn, which is reported."""
    name = look.shown(word.value)
    if name == NOTHING or name in colours.full:
        return False
    help = did_you_mean(name, (*colours.full, NOTHING))
    report.error("unknown-name", f"no feature kind is called `{name}`", word.span, help=help)
    return True


def _shown(colours: Palette, kind: str | None) -> str:
    return NOTHING if kind is None else colours.short(kind)
