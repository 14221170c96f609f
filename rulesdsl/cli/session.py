"""A game that is played on the command line, by people and bots."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field

from rulesdsl.base.records import dataclass
from rulesdsl.cli.console import output_to
from rulesdsl.cli.loading import RecordFile
from rulesdsl.cli.narration import Narrator, TextNarrator
from rulesdsl.cli.prompt import Command, Prompt
from rulesdsl.play import Move, Place, State
from rulesdsl.play.bots import Bot
from rulesdsl.play.events import Step, Watch
from rulesdsl.play.records import Recorder, is_fair, undo


@dataclass(frozen=True)
class Save:
    """A snapshot of everything that a move changes, with the end of the record."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    record: int


@dataclass(frozen=True)
class PastMove:
    """A move that was played, with what was before it if a person made it.

    `taken` says that the record marks it, since moves were taken back before it.
    """

    step: Step
    fair: bool
    taken: bool = False
    before: Save | None = None

    @property
    def by(self) -> str:
        """The player who made the move."""
        return self.step.by


@dataclass(frozen=True)
class Undone:
    """Moves that were taken back, with their lines of the record and what was after them.

    `taken` says whether the move after them would have been marked.
    """

    moves: Sequence[PastMove]
    text: str
    after: Save
    taken: bool


@dataclass
class TerminalSession:
    """A game in progress.

    `bots` play for their colours; people play for all others, through `prompt`.
    """

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    teller: Narrator
    prompt: Prompt
    file: RecordFile
    recorder: Recorder
    plies: list[PastMove] = field(default_factory=list)
    """All moves of the game so far."""
    _taken: bool = False
    _undone: list[Undone] = field(default_factory=list)

    def play(self) -> bool:
        """Play on; return True at the end of the game, False if a person has quit.

        Raises RulesError if the record cannot be written, and PlayError if a rule fails.
        """
        fresh, last = True, None
        while not self._is_over():
            mover = self.state.mover or ""
            bot = self.bots.get(mover)
            if bot is not None:
                with self.prompt.thinking(mover):
                    move = bot.decide(self.state)
                last = self._play(move, bot) or last
                fresh = True
                continue
            answer = self.prompt.ask(self.state, last, fresh)
            match answer:
                case Move():
                    last = self._play(answer) or last
                    fresh = self.state.mover != mover
                case Command.UNDO:
                    fresh = self._undo() or fresh
                case Command.REDO:
                    fresh = self._redo() or fresh
                case _:
                    return False
        with self._writing():
            self.recorder.result(self.state)
        return True

    def _is_over(self) -> bool:
        """Return whether the game is over, and no person takes the last move back."""
        if self.state.mover is not None:
            return False
        self.teller.end(self.state, self.watch.points)
        undoes = undo(self.plies, self._humans) is not None and self.prompt.asks_at_end()
        return not (undoes and self._undo())

    @property
    def _humans(self) -> list[str]:
        return [colour for colour in self.state.players if colour not in self.bots]

    def _play(self, move: Move, bot: Bot | None = None) -> Place | None:
        """Play, record and show a move; return the cell on which it laid a piece.

        In games that people play the random numbers of bots are recorded, so that a game goes on as
        if it had never been interrupted.
        """
        by = self.state.mover
        assert by is not None, "the game is not over"
        save = None if bot else self._save()
        self.watch.before(move)
        before = self.state.position.shown()
        self.state.play(move)
        fair = is_fair(before, self.state.position.shown())
        with_people = len(self.bots) < len(self.state.players)
        stream = {"stream": bot.rng.text} if bot and with_people else {}
        step = self.watch.after(move)
        taken = {"taken_back": True} if self._taken else {}
        events = {"events": step.noted} if step.events else {}
        with self._writing():
            self.recorder.move(by, move, **stream, **taken, **events)
        self.plies.append(PastMove(step, fair, self._taken, save))
        self._taken = False
        self._undone.clear()
        self.teller.moved(step, self.state)
        return step.laid

    def _undo(self) -> bool:
        """Take back what the rule of undo allows; return whether that is anything."""
        found = undo(self.plies, self._humans)
        if found is None:
            made = any(ply.by in self._humans for ply in self.plies)
            self.prompt.say("not-to-undo" if made else "nothing-to-undo")
            return False
        gone, after, save = self.plies[found.to :], self._save(), self.plies[found.to].before
        assert save is not None, "moves of people are saved"
        with self._writing():
            text = self.file.cut(save.record)
        self._undone.append(Undone(gone, text, after, self._taken))
        self.state, self.watch, self.bots = save.state, save.watch, save.bots
        del self.plies[found.to :]
        self._taken = self._taken or not found.fair or any(ply.taken for ply in gone)
        self.prompt.say("undone")
        self._name(gone)
        return True

    def _redo(self) -> bool:
        """Play again what was taken back last; return whether that is anything."""
        if not self._undone:
            self.prompt.say("nothing-to-redo")
            return False
        found = self._undone.pop()
        with self._writing():
            self.file.write(found.text)
        after, self._taken = found.after, found.taken
        self.state, self.watch, self.bots = after.state, after.watch, after.bots
        self.plies += found.moves
        self.prompt.say("redone")
        self._name(found.moves)
        return True

    def _name(self, moves: Sequence[PastMove]) -> None:
        """Name moves as they were named when they were played, without their effects."""
        assert isinstance(self.teller, TextNarrator), "people read text"
        for each in moves:
            self.prompt.console.prose("  ", *self.teller.lines(each.step)[0], indent=8)

    def _writing(self) -> AbstractContextManager[None]:
        kept = "the moves recorded so far are kept and can be replayed"
        return output_to(f"the record `{self.file.name}`", kept)

    def _save(self) -> Save:
        state = self.state.clone()
        return Save(state, self.watch.copy(state), copy.deepcopy(self.bots), self.file.mark())
