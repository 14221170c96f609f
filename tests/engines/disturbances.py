"""What can be done to a position from outside its rules, drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rulesdsl.engine.run.interface import Position
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.box import GameBox
from rulesdsl.language.model.checked import Checked, EffectCall, StateDef, walk
from rulesdsl.language.model.types import (
    BOOL,
    PIECE_CLASSES,
    PLAYER,
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.language.model.values import (
    Cell,
    EnumMember,
    Face,
    Placement,
    Player,
    Segment,
    Value,
    as_set,
)

Item = TypeVar("Item")
Change = Callable[[Position], None]
NEAR = 3
"""How far from the centre of its grid a piece is put."""


class Disturbances:
    """Draws changes for positions of one game with its number of players."""

    def __init__(self, checked: Checked, players: int, drawn: Rng) -> None:
        self._checked = checked
        self._box = GameBox(checked.game, players)
        self._drawn = drawn
        effects = (
            n.effect for n in walk(list(checked.actions.values())) if isinstance(n, EffectCall)
        )
        self._joins = not {"link", "unlink"}.isdisjoint(effects)

    def draw(self, position: Position) -> tuple[str, Change]:
        """Something to do to positions, and what it is in words; it may well fail."""
        states = list(self._checked.states.values())
        if states and self._drawn.below(2):
            return self._assign(states[self._drawn.below(len(states))])
        return self._effect(position)

    # --- effects -------------------------------------------------------------------------------

    def _effect(self, position: Position) -> tuple[str, Change]:
        piece = self._any(self._box.pieces)
        laid = [each.piece for each in position.laid()]
        segments = [segment for _, held in position.features() for segment in held]
        dice = [p for p in self._box.pieces if self._box.cls(p) == "die"]
        places: tuple[Value, ...] = (*self._box.zones, *self._box.spaces, *segments)
        choices: list[tuple[str, tuple[Value, ...]]] = [
            ("reveal", (piece,)),
            ("conceal", (piece,)),
        ]
        choices += [("move", (piece, self._any(places))) for _ in places[:2]]
        choices += [("move", (self._any(laid), self._any(places))) for _ in laid[:1] if places]
        choices += [("shuffle", (self._any(self._box.zones),)) for _ in self._box.zones[:1]]
        zones = self._box.zones
        choices += [("move_all", (self._any(zones), self._any(zones))) for _ in zones[1:2]]
        for _ in self._box.grids[:1]:
            choices += [("place", (piece, self._placement())) for _ in range(3)]
            choices.append(("move", (piece, self._placement().cell)))
        if self._joins and segments:
            choices += [(w, (self._any(segments), self._any(segments))) for w in ("link", "unlink")]
        for die in dice[:1]:
            kind = self._box.piece(die).kind
            face = self._drawn.below(len(self._box.kind(die).faces))
            choices.append(("turn_to", (die, Face(kind, face))))
        effect, given = self._any(choices)
        return f"{effect} {given}", lambda position: position.apply(effect, given)

    def _placement(self) -> Placement:
        grid = self._any(self._box.grids)
        x, y = (self._drawn.below(2 * NEAR + 1) - NEAR for _ in range(2))
        return Placement(Cell(grid.grid, grid.index, y, x), self._drawn.below(4))

    # --- states --------------------------------------------------------------------------------

    def _assign(self, state: StateDef) -> tuple[str, Change]:
        owner = self._owner(state.owner)
        index = tuple(self._value(type_) for type_ in state.index)
        value = self._value(state.type)
        return (
            f"assign {state.key} of {owner} at {index} = {value}",
            lambda position: position.assign(state.key, owner, index, value),
        )

    def _owner(self, owner: str) -> Value:
        return None if owner == "game" else self._value(NamedType(owner))

    def _value(self, type_: Type) -> Value:
        """Any value of a type, now and then one that is out of its range."""
        match type_:
            case OptionalType(item):
                return None if self._drawn.below(3) == 0 else self._value(item)
            case SetType(item):
                return as_set(self._value(item) for _ in range(self._drawn.below(4)))
            case IntType(low, high):
                return max(low, -5) + self._drawn.below(min(high, 20) - max(low, -5) + 2)
            case EnumType(name):
                return EnumMember(name, self._drawn.below(len(self._box.enums[name])))
        if type_ == BOOL:
            return bool(self._drawn.below(2))
        if type_ == PLAYER:
            return Player(self._drawn.below(self._box.players))
        if isinstance(type_, NamedType) and type_.name in PIECE_CLASSES:
            return self._any([p for p in self._box.pieces if self._box.cls(p) == type_.name])
        return self._place(type_)

    def _place(self, type_: Type) -> Value:
        box = self._box
        match str(type_):
            case "zone":
                return self._any(box.zones)
            case "space":
                return self._any(box.spaces)
            case "grid":
                return self._any(box.grids)
            case "cell":
                return self._placement().cell
            case "placement":
                return self._placement()
            case "segment":
                piece = self._any([p for p in box.pieces if box.layout(p, 0, 0).kinds])
                return Segment(piece.index, self._drawn.below(len(box.layout(piece, 0, 0).kinds)))
        return self._any(box.pieces)

    def _any(self, items: Sequence[Item]) -> Item:
        return items[self._drawn.below(len(items))]
