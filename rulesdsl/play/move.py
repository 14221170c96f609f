"""Moves as programs and people see them."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulesdsl.model.values import Value
from rulesdsl.play.forms import Plain
from rulesdsl.play.names import Names
from rulesdsl.run.engine import Decision


class IllegalMove(ValueError):
    """The move is not offered; the message says why and what is."""


@dataclass(frozen=True)
class Move:
    """One thing the mover can do.

    `name` is `choice.option`, or `take`, `roll` for chance. `args` holds the arguments by
    name in order, in plain form (see `rulesdsl.play.names`). `weight` counts chance outcomes: an
    outcome's probability is its weight over the sum of the weights offered; 1 for choices.
    `secret` names arguments that only those who know them may see. Equal on every engine; weight
    and secret do not take part in equality.
    """

    name: str
    args: tuple[tuple[str, Plain], ...] = ()
    weight: int = field(default=1, compare=False)
    secret: frozenset[str] = field(default=frozenset(), compare=False)

    def __getitem__(self, name: str) -> Plain:
        """The argument `name`; raises KeyError if there is none."""
        return dict(self.args)[name]

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """The arguments by name, as text."""
        return tuple((name, text(value)) for name, value in self.args)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={shown}" for name, shown in self.texts)
        return f"{self.name}({inside})" if inside else self.name


def text(value: Plain) -> str:
    """A plain value as text: booleans and none as the language writes them."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "{" + ", ".join(text(item) for item in value) + "}"
    return str(value)


def public_moves(decision: Decision, names: Names) -> tuple[Move, ...]:
    """The candidates of a decision as moves, in the same order.

    Where two different values of one argument share a short form, both are written in full.
    """
    short, shared = _short_forms(decision, names)

    def form(name: str, value: Value) -> Plain:
        found = short[id(value)]
        return names.full(value) if shared and (name, found) in shared else found

    return tuple(
        Move(
            candidate.name,
            tuple([(name, form(name, value)) for name, value in candidate.arguments]),
            candidate.weight,
            candidate.secret,
        )
        for candidate in decision.candidates
    )


def _short_forms(
    decision: Decision, names: Names
) -> tuple[dict[int, Plain], set[tuple[str, Plain]]]:
    """The short form of every argument by the `id` of its value, since telling values apart takes
    longer than naming them; and the names and forms that several arguments share."""
    short: dict[int, Plain] = {}
    first: dict[tuple[str, Plain], Value] = {}
    shared = set[tuple[str, Plain]]()
    for candidate in decision.candidates:
        for name, value in candidate.arguments:
            if id(value) not in short:
                short[id(value)] = names.short(value)
            named = name, short[id(value)]
            other = first.setdefault(named, value)
            if other is not value and other != value:
                shared.add(named)
    return short, shared
