"""Scenarios and states to be asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rulesdsl.author.why import tracing
from rulesdsl.author.why.answer import Answer, lines
from rulesdsl.author.why.played import Observed, PlayedMove, Question
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.game import Game, State
from rulesdsl.play.scenario import Scenario, read_scenarios


class Silent:
    """Asks nothing."""

    def before(self, state: Observed, moment: PlayedMove) -> None: ...

    def after(self, state: Observed, waiting: bool) -> None: ...


class File:
    """A file of scenarios, of which each can be brought about and asked about."""

    def __init__(self, path: Path) -> None:
        self._begun: list[Observed] = []
        self._question: Question = Silent()
        source = Source(str(path), path.read_text(encoding="utf-8"))
        self.scenarios = read_scenarios(source, [], "python", self._start)

    def _start(self, game: Game, players: int | None, seed: int | None) -> State:
        position = tracing.start(game.checked, game.seats(players), seed)
        self._begun.append(Observed(game, position, self._question))
        return self._begun[-1]

    def run(self, scenario: Scenario, question: Question) -> Observed:
        """The state at the end of a scenario that holds."""
        self._question = question
        assert scenario.run().passed, scenario.name
        return self._begun[-1]


def text(answers: list[Answer]) -> str:
    """Answers as people read them."""
    return "\n".join(_lines(answers))


def _lines(answers: list[Answer]) -> Iterator[str]:
    for answer in answers:
        yield answer.when
        yield from ("".join(piece for _, piece in line) for line in lines(answer))
