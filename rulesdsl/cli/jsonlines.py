"""Tells a game to programs: one JSON object a line, as `schemas/output.schema.json` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulesdsl.cli.console import Console
from rulesdsl.cli.teller import Start
from rulesdsl.diagnostics.visible import inert_json
from rulesdsl.play import Plain, State
from rulesdsl.play.gains import Gain
from rulesdsl.play.move import text
from rulesdsl.play.watch import Step


@dataclass
class JsonTeller:
    """Writes a `start`, a `move` for every move, and an `end`; with `quiet` only the `end`."""

    console: Console
    quiet: bool

    def start(self, start: Start) -> None:
        """What is played, and by whom."""
        game = start.state.game
        seed = {} if start.seed is None else {"seed": start.seed}
        if not self.quiet:
            self._write(
                event="start",
                root=game.checked.game.roles.ruleset,
                rulesets=[
                    {
                        "id": info.id,
                        "version": info.version,
                        "digest": info.digest,
                        "interaction": info.interaction,
                        "house": info.house,
                    }
                    for info in game.rulesets
                ],
                settings=game.settings,
                players=dict(start.seats),
                **seed,
            )

    def moved(self, step: Step, state: State) -> None:
        """A move and the points it gave."""
        if not self.quiet:
            self._write(
                event="move",
                number=step.number,
                turn=step.turn,
                by=step.by,
                about=_texts(step.about),
                move=step.move.name,
                args=_texts(step.move.args),
                turned_up=[text(piece) for piece in step.turned_up],
                gains=[_gain(gain) for gain in step.gains],
                scores=state.scores(),
            )

    def end(self, state: State, points: Mapping[tuple[str, str], int]) -> None:
        """The result; `over` is false for a game that was not played to its end."""
        sources: dict[str, dict[str, int]] = {colour: {} for colour in state.players}
        for (colour, source), amount in sorted(points.items()):
            sources[colour][source] = amount
        self._write(
            event="end",
            over=state.mover is None,
            cut_short=state.cut_short,
            scores=state.scores(),
            points=sources,
            winners=list(state.winners),
        )

    def _write(self, **fields: Any) -> None:
        self.console.say(inert_json(fields))


def _texts(values: tuple[tuple[str, Plain], ...]) -> dict[str, str]:
    return {name: text(value) for name, value in values}


def _gain(gain: Gain) -> dict[str, Any]:
    return {
        "player": gain.player,
        "amount": gain.amount,
        "source": gain.source,
        "subject": gain.subject,
        "terms": [{"name": term.name, "value": term.value} for term in gain.terms],
    }
