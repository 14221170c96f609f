"""What must hold at the end of a scenario."""

from __future__ import annotations

from collections.abc import Callable

from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.model.nodes import Mapping, Node, Scalar, plain
from rulesdsl.play import differences
from rulesdsl.play.game import CHANCE, State
from rulesdsl.play.scenario.expect_conditions import features, holds
from rulesdsl.play.scenario.expect_moves import illegal, legal, offers
from rulesdsl.play.scenario.expect_table import board, sees, zones
from rulesdsl.play.scenario.findings import Finding, Findings, rewritten
from rulesdsl.play.scenario.steps import NOBODY
from rulesdsl.run.engine import PlayError


def check_expectations(
    state: State, expect: Mapping, failure: PlayError | None
) -> tuple[Finding, ...]:
    """Everything in `expect` that does not hold in `state` (`scenario-failed`), by position.
    `failure` is the error the last move ended with."""
    found = Findings()
    for key, node in expect.entries:
        if key.value == "fails":
            _fails(node, failure, found)
        else:
            _CHECKS[str(key.value)](state, node, found)
    return found.sorted()


def _fails(node: Node, failure: PlayError | None, found: Findings) -> None:
    wanted = str(plain(node))
    if failure is None:
        found.wrong(node.span, "the last move does not fail")
    elif wanted not in failure.message:
        message = f"the last move fails otherwise: {failure.message}"
        found.wrong(node.span, message, edits=[rewritten(node, failure.message)])


def _mover(state: State, node: Node, found: Findings) -> None:
    mover, wanted = state.mover or NOBODY, str(plain(node))
    known = (*state.players, CHANCE, NOBODY)
    edits = [rewritten(node, mover)]
    if wanted not in known:
        help = did_you_mean(wanted, known)
        found.wrong(node.span, f"no `{wanted}` takes part", help, edits)
    elif mover != wanted:
        found.wrong(node.span, f"it is {mover}'s decision", edits=edits)


def _asked(state: State, node: Node, found: Findings) -> None:
    if state.asked != plain(node):
        asked = state.asked or NOBODY
        edits = [rewritten(node, asked)] if state.asked else []
        found.wrong(node.span, f"what is asked is `{asked}`", edits=edits)


def _scores(state: State, node: Node, found: Findings) -> None:
    """Other points are one finding, with those of everybody side by side if several are named."""
    scores = state.scores()
    wanted = {str(key.value): value for key, value in _entries(node)}
    for key, _ in _entries(node):
        if key.value not in scores:
            found.wrong(key.span, f"no player `{key.value}` takes part")
    others = {
        player: value
        for player, value in wanted.items()
        if player in scores and scores[player] != plain(value)
    }
    if not others:
        return
    message = ", ".join(f"{player} has {scores[player]}" for player in others)
    expected = {player: plain(value) for player, value in wanted.items() if player in scores}
    found_scores = {player: scores[player] for player in expected}
    help = [differences.of_mappings(expected, found_scores)] if len(expected) > 1 else []
    edits = [rewritten(value, scores[player]) for player, value in others.items()]
    found.wrong(next(iter(others.values())).span, message, help, edits)


def _winners(state: State, node: Node, found: Findings) -> None:
    if list(state.winners) != plain(node):
        message = f"the winners are {', '.join(state.winners) or NOBODY}"
        found.wrong(node.span, message, edits=[rewritten(node, list(state.winners))])


def _entries(node: Node) -> tuple[tuple[Scalar, Node], ...]:
    return node.entries if isinstance(node, Mapping) else ()


_CHECKS: dict[str, Callable[[State, Node, Findings], None]] = {
    "mover": _mover,
    "asked": _asked,
    "scores": _scores,
    "winners": _winners,
    "board": board,
    "zones": zones,
    "sees": sees,
    "holds": holds,
    "features": features,
    "legal": legal,
    "illegal": illegal,
    "offers": offers,
}
