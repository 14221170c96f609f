"""Why one rule of a value beats another."""

from __future__ import annotations

from rulesdsl.diagnostics.wording import listed
from rulesdsl.model.checked import Rule, ValueDef
from rulesdsl.model.game import Game
from rulesdsl.model.names import owner_of, parties_of


def because(definition: ValueDef, winner: int, other: int, game: Game) -> str:
    """Why the result of one rule is taken, and not that of another that applies too."""
    one, two = definition.rules[winner], definition.rules[other]
    if other not in one.beats:
        return "both say the same, or a third rule settles it"
    if two.verb == "base":
        return "a refinement beats the value's own body"
    if one.ruleset == two.ruleset:
        return "its guard is narrower"
    reach, below = game.reach[one.ruleset], game.reach[two.ruleset]
    if reach > below:
        return _rulesets(one, two, game)
    ordered = f"an `order` puts {one.ruleset} after {two.ruleset}"
    # Of two house rulesets the narrower guard wins, unless they are ordered.
    return f"its guard is narrower, or {ordered}" if reach == below else ordered


def _rulesets(one: Rule, two: Rule, game: Game) -> str:
    owner, *others = parties_of(one.ruleset)
    winner = next(each for each in game.rulesets if each.id == owner)
    if winner.house and owner_of(two.ruleset) != owner:
        return f"{owner} is a house ruleset, which beats all"
    if others:
        names, verb = listed(others, "and"), "is" if len(others) == 1 else "are"
        return f"{owner} says what holds when {names} {verb} on too"
    if winner.interaction:
        parties = listed([party.name for party in winner.parties], "and")
        return f"{owner} says what holds when {parties} are both on"
    return f"{one.ruleset} builds on {two.ruleset}"
