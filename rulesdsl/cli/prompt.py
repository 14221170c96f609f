"""The prompt for moves: the question, its numbered answers, and the meaning of what is typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from enum import Enum
from statistics import mean
from typing import TextIO

from rulesdsl.base.records import dataclass
from rulesdsl.cli.board import DrawnPiece, Painter, draw_piece
from rulesdsl.cli.console import Console, Styled, waiting
from rulesdsl.cli.narration import standing, texts_on, unseen
from rulesdsl.cli.words import OptionTexts, Words
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics.report import inert, visible
from rulesdsl.language.model.geometry import Outline
from rulesdsl.language.model.values import Piece, Segment
from rulesdsl.play import Move, Place, Plain, Spot, State
from rulesdsl.play.bots import GreedyBot
from rulesdsl.play.events import Gain, GainLog
from rulesdsl.play.game import CHANCE
from rulesdsl.play.moves import wanted
from rulesdsl.play.table import has_secrets

_FOLLOWING = 8
"""The most decisions of the player that are looked at after a move."""
_DRAWS = 20
"""The number of draws of hidden pieces and of chance that a hint is made of."""
_COMPARED = 3
"""The number of draws of hidden pieces in which gains must be equal to be certain."""


@dataclass(frozen=True)
class Hint:
    """The points if the game ended after a move, and the gains that are certain.

    Further decisions of the player before the turn ends are made as `greedy` makes them. Hidden
    pieces and chance are drawn several times: `points` is the mean, `low` and `high` are the least
    and the most. `gains` are those that the move gives whatever is drawn.
    """

    points: float
    low: int
    high: int
    gains: tuple[Gain, ...]


def hints(state: State) -> dict[Move, Hint]:
    """Return a hint for each legal move, from states that look the same to the player.

    Moves after which a rule fails have none.
    """
    mover = state.mover
    assert mover is not None, "someone is asked"
    compared = _COMPARED if state.hides(mover) else 1
    samples = [_sample(state, mover, seed) for seed in range(_DRAWS)]
    found = {}
    for move in state.moves():
        points, gains = list[int](), list[tuple[Gain, ...]]()
        try:
            for seed, sample in enumerate(samples):
                tried = _Trial(sample.clone(), mover, seed, listens=seed < compared)
                tried.play(move)
                points.append(tried.end())
                if tried.gains is not None:
                    gains.append(tried.gains)
                if compared == 1 and not tried.drawn:
                    break
        except PlayError:
            continue
        sure = tuple(each for each in gains[0] if all(each in others for others in gains))
        found[move] = Hint(mean(points), min(points), max(points), sure)
    return found


def _sample(state: State, mover: str, seed: int) -> State:
    """Return a state that looks the same to the player, on the fastest engine, with open chance."""
    sample = State(state.game, state.sample(mover, seed).position.compiled())
    sample.offer_chance()
    return sample


class _Trial:
    """A move and the rest of the player's turn.

    A turn ends with the decision of another player, and before an outcome of chance once the
    player's points have changed: that chance belongs to what comes next. `drawn` tells whether
    chance decided anything, `gains` are the player's before that, or None if nobody listens.
    """

    def __init__(self, state: State, mover: str, seed: int, *, listens: bool) -> None:
        self._state, self._mover = state, mover
        self._bot, self._luck = GreedyBot(seed, state.players.index(mover)), Rng.seeded(seed)
        self._before = self._score()
        self._log = GainLog(state) if listens else None
        self.gains: tuple[Gain, ...] | None = None
        self.drawn = False

    def play(self, move: Move) -> None:
        """Play the move and the decisions after it; raises PlayError."""
        state, decisions = self._state, 0
        if self._log is not None:
            state.listen(self._log.hear)
        state.play(move)
        while state.mover in (self._mover, CHANCE) and decisions < _FOLLOWING:
            if state.mover == CHANCE:
                if self._score() != self._before:
                    break
                self._draw()
            else:
                decisions += 1
                state.play(self._bot.choose(state))
        self._heard()

    def _draw(self) -> None:
        """Draw an outcome of chance; gains after it are not certain."""
        self._heard()
        self.drawn = True
        weights = [move.weight for move in self._state.moves()]
        # By its number, since two outcomes may have the same name.
        self._state.position.play(self._luck.weighted(weights))
        self._state.refresh()

    def _heard(self) -> None:
        if self._log is not None:
            self.gains = tuple(each for each in self._log.take() if each.player == self._mover)
            self._state.listen(None)
            self._log = None

    def end(self) -> int:
        """Return the player's points if the game ended now; raises PlayError."""
        if self._state.mover is not None:
            self._state.finish()
        return self._score()

    def _score(self) -> int:
        return self._state.scores().get(self._mover, 0)


_NUMBER = re.compile(r"[0-9]{1,6}")
_CELL = re.compile(r"\(?\s*(-?[0-9]{1,6})\s*,\s*(-?[0-9]{1,6})\s*\)?")
_STEP = re.compile(r"[A-Za-z_].*")
_REASONS = 8
"""The most lines that say why a move is not legal."""
_LONGEST = 200
"""The most characters of a move that is typed."""


class Command(Enum):
    """An input other than a number or a move."""

    UNDO = "u"
    REDO = "r"
    QUIT = "q"
    BACK = "b"
    VIEW = "v"
    HELP = "?"
    HINT = "h"
    NAMES = "n"


@dataclass(frozen=True)
class PromptAnswer:
    """An answer that can be picked: one move, or a cell with several moves."""

    text: str
    moves: tuple[Move, ...]
    cell: Place | None = None


@dataclass(frozen=True)
class PromptMistake:
    """The mistake in something typed, and what to type instead."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class PromptQuestion:
    """The answers of which a person picks one.

    If moves are about several cells, a cell is picked first: the question is `by_cell`. `exact`
    shows moves by their machine names, `hints` what each leads to.
    """

    state: State
    words: Words
    answers: tuple[PromptAnswer, ...]
    by_cell: bool = False
    exact: bool = False
    hints: Mapping[Move, Hint] = field(default_factory=dict)

    @classmethod
    def of(cls, state: State, words: Words, *, exact: bool = False) -> PromptQuestion:
        """Return the question that a state asks; `exact` shows moves by their machine names."""
        moves = state.moves()
        cells = {cell: None for move in moves if (cell := cell_of(move)) is not None}
        if len(cells) <= 1:
            return cls(state, words, _answers(state, words, moves, exact), exact=exact)
        there = [
            PromptAnswer(
                words.value(cell), tuple(move for move in moves if cell_of(move) == cell), cell
            )
            for cell in cells
        ]
        others = [move for move in moves if cell_of(move) is None]
        answers = (*there, *_answers(state, words, others, exact))
        return cls(state, words, answers, by_cell=True, exact=exact)

    @property
    def cells(self) -> dict[Place, str]:
        """The cells to pick, with the numbers of their answers."""
        return {
            answer.cell: str(number)
            for number, answer in enumerate(self.answers, 1)
            if answer.cell is not None and self.by_cell
        }

    @property
    def piece(self) -> tuple[Piece, Outline] | None:
        """The piece that the choice is about and its outline, if there is exactly one."""
        decision = self.state.position.decision
        assert decision is not None, "someone is asked"
        pieces = [value for _, value in decision.arguments if isinstance(value, Piece)]
        names = self.state.names
        drawn = [(p, o) for p in pieces if (o := names.outline(p)) is not None]
        return drawn[0] if len(drawn) == 1 else None

    def text(self) -> str:
        """Return the question itself, with the pieces it is about."""
        decision = self.state.position.decision
        assert decision is not None, "someone is asked"
        label = self.words.game.labels.find(decision.choice, self.words.language)
        given = [self.state.mover_names.short(value) for _, value in decision.arguments]
        about = self.words.about(given, self.state.mover or "")
        question = label or decision.choice.rpartition("/")[2].replace("_", " ")
        return f"{question}  {about}".rstrip()

    def pick(self, number: int) -> Move | PromptQuestion:
        """Return what the answer of this index leads to: a move, or the next question."""
        return self._among(self.answers[number].moves)

    def _among(self, moves: tuple[Move, ...]) -> Move | PromptQuestion:
        if len(moves) == 1:
            return moves[0]
        answers = _answers(self.state, self.words, moves, self.exact)
        return replace(self, answers=answers, by_cell=False)

    def read(self, typed: str) -> Move | PromptQuestion | Command | PromptMistake:
        """Return the meaning of what a person types."""
        typed = typed.strip()
        number = int(typed) if _NUMBER.fullmatch(typed) else 0
        if 1 <= number <= len(self.answers):
            return self.pick(number - 1)
        command = self.words.texts.commands.get(typed.lower())
        if command is not None:
            return Command(command)
        if (cell := _CELL.fullmatch(typed)) and (found := self._at(cell)) is not None:
            return found
        move, mistake = _typed(self.state, typed)
        if move is not None:
            return move
        high = len(self.answers)
        return PromptMistake((*mistake, self.words.texts("not-a-number", low=1, high=high)))

    def _at(self, typed: re.Match[str]) -> Move | PromptQuestion | PromptMistake | None:
        """Return the meaning of a cell by its coordinates, None if no answer is about cells."""
        x, y = int(typed[1]), int(typed[2])
        moves = self.state.moves()
        cells = {cell for move in moves if (cell := cell_of(move)) is not None}
        named = [cell for cell in cells if (cell.x, cell.y) == (x, y)]
        if not cells:
            return None
        if not named:
            said = self.words.texts("no-cell", cell=f"({x},{y})")
            asked = {
                f"{move.name} {name}={x},{y}"
                for move in moves
                for name, value in move.args.items()
                if isinstance(value, Spot | Place)
            }
            reasons = [line for each in sorted(asked) for line in _reasons(self.state, each)]
            return PromptMistake((said, *reasons))
        if len(named) > 1:
            return None
        there = tuple(move for move in moves if cell_of(move) == named[0])
        return self._among(there)

    def shown(self) -> list[str]:
        """Return the texts of the answers, with the best hint for each."""
        return [answer.text + self._hint(answer.moves) for answer in self.answers]

    def _hint(self, moves: Sequence[Move]) -> str:
        found = [self.hints[move] for move in moves if move in self.hints]
        if not found:
            return ""
        sign = -1 if self.state.game.checked.game.roles.fewest else 1
        best = max(found, key=lambda hint: sign * hint.points)
        points = self.words.texts("hint", points=best.low)
        if best.low != best.high:
            mean = f"{best.points:.1f}"
            points = self.words.texts("hint-range", mean=mean, low=best.low, high=best.high)
        return "  " + "; ".join([points, *map(self.words.gain, best.gains)])


def _answers(
    state: State, words: Words, moves: Sequence[Move], exact: bool
) -> tuple[PromptAnswer, ...]:
    options = OptionTexts(state, words, state.mover)
    index = {move: number for number, move in enumerate(state.moves())}
    return tuple(
        PromptAnswer(str(move) if exact else options.text(index[move]), (move,), cell_of(move))
        for move in moves
    )


def _typed(state: State, typed: str) -> tuple[Move | None, tuple[str, ...]]:
    """Return the move that is typed as scenarios write it, or else the reason and what to type."""
    from rulesdsl.play.scenario.steps import find, why_not  # slow to import and rarely needed

    if not _STEP.fullmatch(typed) or len(typed) > _LONGEST:
        return None, ()
    found = find(state, typed, typed=True)
    if len(found) == 1:
        return found[0], ()
    message, help = why_not(state, typed, found, lambda: _reasons(state, typed))
    return None, (message, *help)


def _reasons(state: State, typed: str) -> list[str]:
    """Return why a move is not legal, in indented lines, as `why not` says it."""
    from rulesdsl.author.why.answer import brief
    from rulesdsl.author.why.refused import refusals
    from rulesdsl.play.scenario.steps import is_asked  # as above

    if not is_asked(state, typed):
        return [f"  it is not an option of `{state.asked}`, which is asked now"]
    lines = [line for each in refusals(state, wanted(typed)) for line in brief(each)]
    return [f"  {line}" for line in dict.fromkeys(lines)][:_REASONS]


def _rules(state: State, language: str) -> Sequence[str]:
    """Return the rules of the choice that is asked, if books can be written."""
    assert state.position.decision is not None, "someone is asked"
    try:
        from rulesdsl.show.doc import rules_of  # slow to import, and an extra
    except ImportError:
        return ()
    return rules_of(state.game, state.position.decision.choice, language)


def example(state: State) -> str:
    """Return a legal move as it may be typed."""
    from rulesdsl.play.scenario.steps import as_step  # as above

    return as_step(state.moves()[0])


def values_of(move: Move) -> list[Plain]:
    """Return the arguments of a move."""
    return list(move.args.values())


def spot_of(move: Move) -> Spot | None:
    """Return the placement at which a move lays a piece, None if it lays none."""
    return next((value for value in values_of(move) if isinstance(value, Spot)), None)


def cell_of(move: Move) -> Place | None:
    """Return the cell that a move is about, if there is one."""
    for value in values_of(move):
        if isinstance(value, Spot):
            return Place(value.x, value.y, value.grid)
        if isinstance(value, Place):
            return value
    return None


@dataclass
class Prompt:
    """Lets a person choose one of the numbered moves, or type it.

    With several `people` and hidden components, a terminal is cleared before the next person looks.
    """

    console: Console
    words: Words
    painter: Painter
    board: bool
    input: TextIO
    people: int = 1
    exact: bool = False
    _told: list[Styled] = field(default_factory=list)
    """The status that was written last."""
    _looking: str | None = None
    """The player whose hidden components are on the screen."""

    def ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        """Return the chosen move, or UNDO, REDO or QUIT.

        `fresh` shows the board in any case; `last` is the cell of the last piece laid.
        """
        if not self._passed_on(state):
            return Command.QUIT
        while True:
            answer = self._ask(state, last, fresh)
            if answer not in (Command.BACK, Command.NAMES):
                return answer
            self.exact ^= answer is Command.NAMES

    def say(self, key: str) -> None:
        self.console.prose(self.words.texts(key))

    @contextmanager
    def thinking(self, player: str) -> Iterator[None]:
        """Say that a player is thinking, if that takes long."""
        with waiting(self.console, self.words.texts("thinking", player=self.words.player(player))):
            yield

    def _passed_on(self, state: State) -> bool:
        """Hide what the last person saw until the next one is there; False at the end of input."""
        before, self._looking = self._looking, state.mover
        if self.people < 2 or not self.console.terminal or before == state.mover:
            return True
        if not has_secrets(state):
            return True
        self.console.clear_all()
        player = self.words.player(state.mover or "")
        self.console.ask(self.words.texts("pass-on", player=player))
        return bool(self.input.readline())

    def _ask(self, state: State, last: Place | None, fresh: bool) -> Move | Command:
        question = PromptQuestion.of(state, self.words, exact=self.exact)
        by_cell = question.by_cell
        if self.board and (fresh or by_cell):
            self.console.write(self.painter.board(state, last, question.cells))
        stands = standing(state, self.words, self.console.width)
        if fresh or by_cell or stands != self._told:
            self.console.write(stands)
            self._told = stands
        player = state.mover or ""
        self.console.prose((self.words.player(player), f"player {player}"), " ", question.text())
        first = question
        while True:
            pictures = piece_pictures(question, self.painter)
            if pictures:
                self.console.write(self.painter.pieces(pictures))
            answer = self._pick(question)
            if answer is Command.UNDO and question is not first:
                return Command.BACK
            if not isinstance(answer, PromptQuestion):
                return answer
            question = answer

    def asks_at_end(self) -> bool:
        """Return whether a person takes the last move back after the end of the game."""
        self.console.ask(self.words.texts("over"))
        line = self.input.readline().strip().lower()
        return self.words.texts.commands.get(line) == Command.UNDO.value

    def _pick(self, question: PromptQuestion) -> Move | PromptQuestion | Command:
        """Return a legal move, the next question, or a command for others."""
        state = question.state
        self._menu(question.shown())
        player = self.words.player(state.mover or "")
        while True:
            high = len(question.answers)
            self.console.ask(self.words.texts("pick", player=player, low=1, high=high))
            line = self.input.readline()
            if not line:
                self.console.say()
                return Command.QUIT
            answer = question.read(line)
            match answer:
                case PromptMistake(lines):
                    for text in lines:
                        self.console.prose(inert(visible(text)), indent=2)
                case Command.HELP:
                    for text in _rules(state, self.words.language):
                        self.console.prose(text)
                    self.console.prose(self.words.texts("help", move=example(state)))
                case Command.VIEW:
                    self.console.write(self._view(state))
                case Command.HINT:
                    if not state.game.checked.score:
                        self.say("hints-none")
                        continue
                    with self.thinking(state.mover or ""):
                        question = replace(question, hints=hints(state))
                    self.say("hints-mean")
                    self._menu(question.shown())
                case _:
                    return answer

    def _view(self, state: State) -> list[Styled]:
        """Return all that the player to move may know: in words, or exactly with exact names."""
        if self.exact:
            told = state.view(state.mover or "").splitlines()
            return [[line] for line in told if not line.startswith("running ")]
        width = self.console.width
        seen = [*standing(state, self.words, width), *unseen(state, self.words, width)]
        return [*seen, *texts_on(state, self.words, width)]

    def _menu(self, texts: Sequence[str]) -> None:
        entries = [f"{number:>3} {text}" for number, text in enumerate(texts, 1)]
        wide = max(map(len, entries)) + 2
        columns = max(1, min((self.console.width or 80) // wide, 6))
        for start in range(0, len(entries), columns):
            self.console.say("".join(e.ljust(wide) for e in entries[start : start + columns]))


def piece_pictures(question: PromptQuestion, painter: Painter) -> list[tuple[str, DrawnPiece]]:
    """Return pictures of the piece that a question is about, with titles.

    There is one for each answer that lays it, with its number. A piece that is laid has a single
    picture, with the numbers of the answers on their segments.
    """
    if question.piece is None:
        return []
    state, (piece, outline) = question.state, question.piece
    if question.by_cell:
        return [("", draw_piece(outline, 0, painter.look))]
    if (laid := state.position.placement_of(piece)) is not None:
        picture = draw_piece(outline, laid.rotation, painter.look)
        for segment, text in numbered_segments(question).items():
            if picture.spots[segment.index]:
                picture.write(picture.spots[segment.index][0], text, "choice")
        return [("", picture)]
    return [
        (
            str(number),
            draw_piece(
                outline, spot.rotation // painter.words.game.checked.game.degrees, painter.look
            ),
        )
        for number, answer in enumerate(question.answers, 1)
        if (spot := spot_of(answer.moves[0])) is not None
    ]


def numbered_segments(question: PromptQuestion) -> dict[Segment, str]:
    """Return the segments of the piece that a question is about with the numbers of answers."""
    if question.piece is None:
        return {}
    piece, outline = question.piece
    found = {}
    for index in range(len(outline.segments)):
        segment = Segment(piece.index, index)
        text = question.state.names.short(segment)
        for number, answer in enumerate(question.answers, 1):
            if text in values_of(answer.moves[0]):
                found[segment] = str(number)
                break
    return found
