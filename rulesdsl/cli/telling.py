"""Tells a game to people."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rulesdsl.cli.board import Painter
from rulesdsl.cli.console import Console, Styled
from rulesdsl.cli.standing import in_lines
from rulesdsl.cli.teller import HUMAN, RECORDED, Start
from rulesdsl.cli.words import Words
from rulesdsl.play import Game, Place, State
from rulesdsl.play.game import RulesetInfo
from rulesdsl.play.watch import START, Step


@dataclass
class TextTeller:
    """Writes lines of text; with `board` the board after every turn, unless one of `humans` is
    asked next, who sees it then. What is secret in the moves of others is not shown to humans.
    `quiet`: only how it ended."""

    console: Console
    words: Words
    painter: Painter
    board: bool
    quiet: bool
    humans: Collection[str] = ()
    _last: Place | None = None

    def start(self, start: Start) -> None:
        """What is played, and by whom."""
        if self.quiet:
            return
        say, texts = self.console.say, self.words.texts
        game = start.state.game
        say((self.words.label(game.checked.game.roles.ruleset), "title"))
        seats = ", ".join(
            texts("seat", player=self.words.player(colour), who=self._who(who))
            for colour, who in start.seats.items()
        )
        seed = texts("chance-asked") if start.seed is None else start.seed
        say(texts("players", players=seats, seed=seed))
        for line in self._made_of(game):
            self.console.write(in_lines(line.split(" "), self.console.width, " "))
        say()

    def _who(self, who: str) -> str:
        """Who plays, in words."""
        texts = self.words.texts
        return texts(who) if who in (HUMAN, RECORDED) else texts("bot", bot=who)

    def _made_of(self, game: Game) -> list[str]:
        """The rulesets and settings in use."""
        texts = self.words.texts
        kinds: dict[str, list[RulesetInfo]] = {"rulesets": [], "interactions": [], "house": []}
        for info in game.rulesets:
            key = "interactions" if info.interaction else "house" if info.house else "rulesets"
            kinds[key].append(info)
        found = [
            texts(key, names=", ".join(f"{info.id} {info.version}" for info in infos))
            for key, infos in kinds.items()
            if infos
        ]
        if game.settings:
            chosen = (f"{name}={_written(value)}" for name, value in game.settings.items())
            found.append(texts("settings", settings=", ".join(chosen)))
        return found

    def moved(self, step: Step, state: State) -> None:
        """Who moved what, why points were given, and the board when the turn is over."""
        if self.quiet:
            return
        hidden = bool(self.humans) and step.by not in self.humans
        about = self.words.about([value for _, value in step.about], step.by)
        self.console.say(
            (f"{step.turn}. ", "faint"),
            (self.words.player(step.by), f"player {step.by}"),
            f"  {about}: " if about else "  ",
            self.words.move(step.move, hidden),
        )
        if step.turned_up:
            pieces = ", ".join(map(self.words.value, step.turned_up))
            self.console.say("    ", self.words.texts("turned-up", pieces=pieces))
        for gain in step.gains:
            self.console.say(
                "    ",
                (self.words.player(gain.player), f"player {gain.player}"),
                " ",
                (self.words.gain(gain), "gain"),
            )
        self._last = step.laid or self._last
        if self.board and step.last and state.mover not in self.humans:
            self.show_board(state)

    def show_board(self, state: State) -> None:
        """The board as it is."""
        drawn = self.painter.board(state, self._last)
        self.console.write([*drawn, []] if drawn else [])

    def end(self, state: State, points: Mapping[tuple[str, str], int]) -> None:
        """Points by player and source, and who has won if the game is over."""
        self.console.write(self._table(state, points))
        if state.cut_short:
            limit = state.game.checked.game.roles.limit
            self.console.say(self.words.texts("cut-short", limit=limit))
        if state.mover is None:
            self.console.say((self._winners(state), "title"))

    def _table(self, state: State, points: Mapping[tuple[str, str], int]) -> list[Styled]:
        sources = sorted({source for _, source in points}, key=lambda s: (s != START, s))
        heads = ["", *map(self.words.source, sources), self.words.texts("total")]
        rows = [
            [
                self.words.player(colour),
                *(str(points.get((colour, source), 0)) for source in sources),
                str(total),
            ]
            for colour, total in state.scores().items()
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        if self.console.width is not None and sum(widths) + 2 * len(widths) > self.console.width:
            return self._listed(heads, rows)
        return [_cells(row, widths) for row in (heads, *rows)]

    def _listed(self, heads: list[str], rows: list[list[str]]) -> list[Styled]:
        """The table for a narrow terminal: a line for each number that is not 0."""
        found: list[Styled] = []
        for name, *numbers in rows:
            found.append([(name, "title")])
            for head, number in zip(heads[1:], numbers, strict=True):
                if number != "0" or head == heads[-1]:
                    found.append([f"  {number.rjust(4)} {head}"])
        return found

    def _winners(self, state: State) -> str:
        winners = state.winners
        if not winners:
            return self.words.texts("nobody")
        scores = {state.scores()[winner] for winner in winners}
        names = self.words.players(winners)
        if len(scores) > 1:
            return self.words.texts("winners", players=names)
        key = "wins" if len(winners) == 1 else "tie"
        (points,) = scores
        return self.words.texts(key, count=points, players=names, points=points)


def _written(value: int | bool | str) -> str:
    """A setting's value as it is given with `--set`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cells(row: list[str], widths: list[int]) -> Styled:
    """A row of the table: the name to the left, numbers to the right."""
    name = row[0].ljust(widths[0])
    return [
        name,
        *(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True)),
    ]
