"""Rules that make a quantity larger or smaller: a state, or how many pieces are in some places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_

from rulesdsl.base.records import dataclass
from rulesdsl.language.check.conflicts.effects import ANY, TRACKS, ColumnPart, KnownValues, only
from rulesdsl.language.check.conflicts.paths import PIECES, Body, Need, Paths, addition
from rulesdsl.language.diagnostics import Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model import types

_ANYWHERE = "anywhere"


@dataclass(frozen=True)
class Party:
    """A ruleset that needs or changes a quantity: where, what it does, by how much at most.

    It is `safe` if it never goes beyond what there is. `again` is the name of an action or choice
    if it calls that, which runs code of another ruleset.
    """

    ruleset: str
    span: Span
    does: str = ""
    amount: int = 1
    safe: bool = False
    again: str = ""


@dataclass(frozen=True)
class PieceMove:
    """An effect that moves components: from where to where, by kind (full name).

    It is `vague` if nothing is known of what it moves.
    """

    body: Body
    call: tree.EffectCall
    ways: Mapping[str, tuple[ColumnPart, ColumnPart]]
    vague: bool

    def crosses(self, kinds: ColumnPart, where: ColumnPart, sign: int) -> bool:
        """Return whether it may bring something of these kinds to a place (1), or away (-1)."""
        for kind, way in self.ways.items():
            comes, goes = way[::-sign]
            if kind in kinds and comes.meets(where) and not goes.within(where):
                # What comes home is no more than began there.
                return not (self.vague if sign < 0 else goes_home(self.call))
        return False


class Quantities(Paths):
    """The rules of a game by where they run, and by what they change."""

    def pushing(self, need: Need, *, owned: bool = False) -> Iterator[Party]:
        """Yield the parties that make a quantity larger, or smaller.

        Pieces that are `owned` move only where what moves may have an owner.
        """
        column, sign = need
        if column.name != PIECES:
            for other, change in self.changes({column.name}):
                amount = max(sign * end for end in addition(change, self.game))
                if amount > 0:
                    yield Party(other.ruleset, other.at(change), "changes it", amount)
            return
        kinds, where = column.parts
        for kind in self.game.kinds if sign > 0 else ():
            its = [place for place in self.starts[kind.key] if place in where]
            if its and kind.key in kinds:
                yield Party(kind.ruleset, kind.span, f"adds `{kind.name}`", len(its))
        # What moves stays in a set of all components.
        for move in self.moves if where != ANY else ():
            body, call = move.body, move.call
            belongs = tree.CallBuiltin(call.span, types.BOOL, "owned", call.arguments[:1])
            if move.crosses(kinds, where, sign) and (
                not owned or self.possible(self.at(body, call), belongs)
            ):
                does = "moves something there" if sign > 0 else "may have taken it away"
                yield Party(body.ruleset, body.at(call), does)

    @cached_property
    def starts(self) -> Mapping[str, Sequence[str]]:
        """The places where the pieces of each kind begin."""
        tracks = {track.key for track in self.game.tracks}
        found: dict[str, list[str]] = {kind.key: [] for kind in self.game.kinds}
        self.work.spend(len(self.game.pieces))
        for piece in self.game.pieces:
            start = piece.start or ""
            found[self.game.kinds[piece.kind].key].append(TRACKS if start in tracks else start)
        return found

    @cached_property
    def reach(self) -> Mapping[str, frozenset[object]]:
        """The places to which the pieces of each kind can get, by moves from where they begin."""
        found = dict[str, frozenset[object]]()
        for kind, starts in self.starts.items():
            there = set[object](starts)
            ways = [each.ways[kind] for each in self._all_moves if kind in each.ways]
            self.work.spend(len(ways))
            while more := {
                place
                for where, to in ways
                if _ANYWHERE in there or where.meets(ColumnPart(frozenset(there)))
                for place in ({_ANYWHERE} if to.values is None else to.values)
                if place not in there
            }:
                there |= more
            found[kind] = frozenset(there)
        return found

    @cached_property
    def moves(self) -> Sequence[PieceMove]:
        """Moves of components, for the kinds of which a piece can get to where the move begins."""
        found = []
        for move in self._all_moves:
            ways = dict[str, tuple[ColumnPart, ColumnPart]]()
            for kind, (where, to) in move.ways.items():
                there = self.reach[kind]
                where = where if _ANYWHERE in there else ColumnPart(there) & where
                if where != only():
                    ways[kind] = where, to
            found.append(replace(move, ways=ways))
        return found

    @cached_property
    def _all_moves(self) -> Sequence[PieceMove]:
        found = []
        for body in self.movers:
            for call in body.nodes.of(tree.EffectCall):
                if call.effect in ("move", "move_all", "place") and not self._is_given(body, call):
                    known = self._asked(body, call)
                    to = self.target(body, call, known)
                    ways = dict[str, tuple[ColumnPart, ColumnPart]]()
                    kinds = self.kinds(call.arguments[0].type, known)
                    for kind in map(str, kinds.values or ()):
                        # Only its home depends on the kind.
                        one = KnownValues(only(kind))
                        own = self.target(body, call, one) if goes_home(call) else to
                        ways[kind] = known.where, own
                    found.append(PieceMove(body, call, ways, known == KnownValues()))
        return found

    def _asked(self, body: Body, call: tree.EffectCall) -> KnownValues:
        """Return what is known of what moves; a parameter of a choice is what it is asked with."""
        known, moved = self.moved(body, call), call.arguments[0]
        choice = self.checked.choices.get(body.run_by)
        if known == KnownValues() and choice is not None and isinstance(moved, tree.Local):
            for number, param in enumerate(choice.params):
                if param.name == moved.name:
                    given = [
                        self.scope(other).known(asked.arguments[number])
                        for other in self.movers
                        for asked in other.nodes.of(tree.ChoiceCall)
                        if asked.choice == choice.key
                        and not (
                            other.call is None and other.action and other.action.key in self.called
                        )
                    ]
                    known = reduce(or_, given) if given else known
        return known

    def _is_given(self, body: Body, call: tree.EffectCall) -> bool:
        """Return whether an action moves what it is given, which counts as what callers do."""
        own, moved = body.action, call.arguments[0]
        if body.call is not None or own is None or own.key not in self.called:
            return False
        return isinstance(moved, tree.Local) and any(moved.name == p.name for p in own.params)


def goes_home(call: tree.EffectCall) -> bool:
    """Return whether a move takes components to where they began."""
    return getattr(call.arguments[1], "function", "") == "home"
